import Foundation

/// The line attributes of a stroke, in the user's coordinates.
struct StrokeStyle: Hashable, Sendable {
  var width: CGFloat = 1
  var cap: CGLineCap = .butt
  var join: CGLineJoin = .miter
  var miterLimit: CGFloat = 10
  var dashPhase: CGFloat = 0
  var dashLengths: [CGFloat] = []

  /// The lengths of dashes and gaps in turn, an even number; nil if the line is solid. The line is solid if a length is negative or not finite, or
  /// all are zero.
  var dashes: [CGFloat]? {
    guard !dashLengths.isEmpty, dashLengths.allSatisfy({ $0.isFinite && $0 >= 0 }), dashPhase.isFinite else { return nil }
    let pattern = dashLengths.count.isMultiple(of: 2) ? dashLengths : dashLengths + dashLengths
    let sum = pattern.reduce(0, +)
    return sum > 0 && sum.isFinite ? pattern : nil
  }

  /// The dash pattern for a path of this extent; nil, a solid line, if the pattern would repeat 100,000 times or more along it.
  func dashes(forExtent extent: CGFloat) -> [CGFloat]? {
    guard let dashes, extent / dashes.reduce(0, +) < 100_000 else { return nil }
    return dashes
  }

  /// The line's width; nil if it isn't positive and finite, and no line is drawn.
  var drawableWidth: CGFloat? { width > 0 && width.isFinite ? width : nil }

  /// The miter limit; 1 if it is below 1 or not finite.
  var drawableMiterLimit: CGFloat { miterLimit >= 1 && miterLimit.isFinite ? miterLimit : 1 }
}
