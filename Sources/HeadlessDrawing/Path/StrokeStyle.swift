import Foundation

/// How a line along a path is drawn.
struct StrokeStyle: Hashable, Sendable {
  var width: CGFloat = 1
  var cap: CGLineCap = .butt
  var join: CGLineJoin = .miter
  var miterLimit: CGFloat = 10
  var dashPhase: CGFloat = 0
  var dashLengths: [CGFloat] = []

  /// The alternating lengths of dashes and gaps, an even number of them; nil where the line is solid. A pattern with a negative length, or
  /// one that isn't finite, or without any length, is a solid line.
  var dashes: [CGFloat]? {
    guard !dashLengths.isEmpty, dashLengths.allSatisfy({ $0.isFinite && $0 >= 0 }), dashPhase.isFinite else { return nil }
    let pattern = dashLengths.count.isMultiple(of: 2) ? dashLengths : dashLengths + dashLengths
    let sum = pattern.reduce(0, +)
    return sum > 0 && sum.isFinite ? pattern : nil
  }

  /// The dashes of a path of this extent, or nil where it would have so many of them that they can't be told apart.
  func dashes(forExtent extent: CGFloat) -> [CGFloat]? {
    guard let dashes, extent / dashes.reduce(0, +) < 100_000 else { return nil }
    return dashes
  }

  /// The width, or nil if it can't be drawn.
  var drawableWidth: CGFloat? { width > 0 && width.isFinite ? width : nil }

  /// The ratio of a miter's length to the line's width from which a corner is cut, at least 1.
  var drawableMiterLimit: CGFloat { miterLimit >= 1 && miterLimit.isFinite ? miterLimit : 1 }
}
