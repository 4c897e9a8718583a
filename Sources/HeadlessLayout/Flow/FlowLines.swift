import Foundation
import HeadlessDrawing

/// How the items of a section are broken into lines.
struct FlowLines {
  /// A line: which items, how far apart, and how thick.
  struct Line: Equatable {
    var items: Range<Int>
    /// The distance between two items.
    var spacing: CGFloat
    /// The distance of the first item from the start of the line.
    var indent: CGFloat
    /// The length of the thickest item, in the direction in which lines follow each other.
    var thickness: CGFloat
  }

  private(set) var lines: [Line] = []

  /// - Parameter length: The length of a line.
  init(_ metrics: FlowMetrics, axis: FlowAxis, length: CGFloat) {
    let spacing = metrics.interitemSpacing
    switch metrics.sizes {
    case .uniform(let size, let count):
      lines = Self.columns(count, of: axis.across(size), thickness: axis.along(size), length: length, spacing: spacing)
      if count == 1, metrics.centersOnlyItem { lines[0].indent = (length - axis.across(size)) / 2 }
    case .single(let sizes):
      lines = Self.filled(sizes, axis: axis, length: length, spacing: spacing)
    }
  }

  /// The lines of items of one size: each but the last has as many as fit, and the last has the spacing of the others.
  private static func columns(
    _ count: Int, of width: CGFloat, thickness: CGFloat, length: CGFloat, spacing: CGFloat
  ) -> [Line] {
    // Half a thousandth of a point is allowed for, so that thirds of a length make three columns.
    let fitting = width + spacing > 0 ? (length + spacing + 0.0005) / (width + spacing) : CGFloat(count)
    let columns = max(fitting < CGFloat(count) ? Int(fitting) : count, 1)
    // A section with fewer items than fit is a last line: how many would fit decides its spacing.
    let slots = max(fitting < 1e9 ? Int(fitting) : columns, 1)
    let free = length - CGFloat(slots) * width
    let gap = slots > 1 ? max(free / CGFloat(slots - 1), spacing) : 0
    let indent = slots > 1 ? 0 : free / 2
    return stride(from: 0, to: count, by: columns).map { first in
      Line(items: first..<min(first + columns, count), spacing: gap, indent: indent, thickness: thickness)
    }
  }

  /// The lines of items of different sizes.
  private static func filled(_ sizes: [CGSize], axis: FlowAxis, length: CGFloat, spacing: CGFloat) -> [Line] {
    var lines: [Line] = []
    var first = 0
    while first < sizes.count {
      var next = first + 1
      var used = axis.across(sizes[first])
      while next < sizes.count, used + spacing + axis.across(sizes[next]) <= length + 0.0005 {
        used += spacing + axis.across(sizes[next])
        next += 1
      }
      let count = CGFloat(next - first)
      var line = Line(
        items: first..<next, spacing: spacing, indent: 0, thickness: sizes[first..<next].map(axis.along).max() ?? 0)
      let free = length - used
      if next < sizes.count || free < 0 {
        if count > 1 { line.spacing += max(free, 0) / (count - 1) } else { line.indent = free / 2 }
      }
      lines.append(line)
      first = next
    }
    return lines
  }
}

extension FlowLines.Line {
  /// The frames of the line's items, centered across its thickness, at whole pixels.
  ///
  /// - Parameters:
  ///   - along: Where the line begins in the direction in which lines follow each other.
  ///   - across: Where it begins in the direction in which its items follow each other.
  ///   - scale: The pixels of a point.
  func place(_ sizes: FlowSizes, axis: FlowAxis, along: CGFloat, across: CGFloat, scale: CGFloat) -> [CGRect] {
    let round = { (position: CGFloat) in (position * scale).rounded() / scale }
    var position = across + indent
    return items.map { item in
      let size = sizes[item]
      defer { position += axis.across(size) + spacing }
      return axis.rect(along: round(along + (thickness - axis.along(size)) / 2), across: round(position), size: size)
    }
  }
}
