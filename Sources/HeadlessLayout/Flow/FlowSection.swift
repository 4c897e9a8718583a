import Foundation
import HeadlessDrawing

/// The frames of a section of a flow layout, computed from its metrics.
struct FlowSection: Sendable {
  /// The `zIndex` of pinned headers and footers.
  static let pinnedZIndex = 10

  /// The frames of the items.
  let frames: [CGRect]
  /// The header's frame; nil if there is no header.
  let header: CGRect?
  /// The footer's frame; nil if there is no footer.
  let footer: CGRect?
  /// The start of the section along the layout.
  let start: CGFloat
  /// The end of the section along the layout.
  let end: CGFloat
  /// The items of each line, and the rectangle that encloses them.
  private let lines: [(items: Range<Int>, frame: CGRect)]

  init(_ metrics: FlowMetrics, axis: FlowAxis, start: CGFloat, across: CGFloat, scale: CGFloat) {
    self.start = start
    let headerLength = axis.along(metrics.headerSize)
    header =
      headerLength > 0 ? axis.rect(along: start, across: 0, size: axis.size(along: headerLength, across: across)) : nil
    let inset = axis.along(metrics.inset)
    let sides = axis.across(metrics.inset)
    var position = start + headerLength + inset.start
    var frames: [CGRect] = []
    var lines: [(items: Range<Int>, frame: CGRect)] = []
    let rules = FlowLines(metrics, axis: axis, length: max(across - sides.start - sides.end, 0))
    for line in rules.lines {
      if !lines.isEmpty { position += metrics.lineSpacing }
      let placed = line.place(metrics.sizes, axis: axis, along: position, across: sides.start, scale: scale)
      frames += placed
      lines.append((line.items, placed.dropFirst().reduce(placed.first ?? .zero) { $0.union($1) }))
      position += line.thickness
    }
    self.frames = frames
    self.lines = lines
    let footerLength = axis.along(metrics.footerSize)
    position += inset.end
    footer =
      footerLength > 0 ? axis.rect(along: position, across: 0, size: axis.size(along: footerLength, across: across)) : nil
    end = position + footerLength
  }

  /// The items whose frames overlap a rectangle.
  func items(in rect: CGRect) -> [Int] {
    lines.filter { $0.frame.overlaps(rect) }.flatMap { line in line.items.filter { frames[$0].overlaps(rect) } }
  }

  /// The frame of a pinned header: at the start of the visible rectangle, but within the section and before its footer.
  func pinnedHeader(_ frame: CGRect, visible: CGRect, _ axis: FlowAxis) -> CGRect {
    let last = (footer.map { axis.along($0).start } ?? end) - axis.along(frame.size)
    return axis.moved(frame, to: max(min(axis.along(visible).start, last), axis.along(frame).start))
  }

  /// The frame of a pinned footer: at the end of the visible rectangle, but within the section and after its header.
  func pinnedFooter(_ frame: CGRect, visible: CGRect, _ axis: FlowAxis) -> CGRect {
    let first = header.map { axis.along($0).end } ?? start
    let wanted = axis.along(visible).end - axis.along(frame.size)
    return axis.moved(frame, to: min(max(wanted, first), axis.along(frame).start))
  }
}
