import Foundation
import HeadlessDrawing

/// Breaks the items of a section into lines.
struct FlowLines {
  /// A line of items with their spacing.
  struct Line: Equatable {
    var items: Range<Int>
    /// The distance between two neighboring items.
    var spacing: CGFloat
    /// The distance of the first item from the start of the line.
    var indent: CGFloat
    /// The thickness of the line: the greatest length of its items along the layout.
    var thickness: CGFloat
  }

  private(set) var lines: [Line] = []

  /// - Parameter length: The length of a line, across the layout.
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

  /// The lines of items that all have the same size. Each line except the last is full; the last one uses the spacing of the full lines.
  private static func columns(
    _ count: Int, of width: CGFloat, thickness: CGFloat, length: CGFloat, spacing: CGFloat
  ) -> [Line] {
    // The tolerance of half a thousandth of a point lets three items of a rounded third of the length fit.
    let fitting = width + spacing > 0 ? (length + spacing + 0.0005) / (width + spacing) : CGFloat(count)
    let columns = max(fitting < CGFloat(count) ? Int(fitting) : count, 1)
    // A section with fewer items than fit in a line gets the spacing that a full line would have.
    let slots = max(fitting < 1e9 ? Int(fitting) : columns, 1)
    let free = length - CGFloat(slots) * width
    let gap = slots > 1 ? max(free / CGFloat(slots - 1), spacing) : 0
    let indent = slots > 1 ? 0 : free / 2
    return stride(from: 0, to: count, by: columns).map { first in
      Line(items: first..<min(first + columns, count), spacing: gap, indent: indent, thickness: thickness)
    }
  }

  /// The lines of items with different sizes. Full lines are spread over their length; the last one keeps the minimum spacing.
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
  /// The frames of the line's items, centered in the line's thickness and rounded to whole pixels.
  ///
  /// - Parameters:
  ///   - along: The start of the line along the layout.
  ///   - across: The start of the line across the layout.
  ///   - scale: The number of pixels per point.
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
