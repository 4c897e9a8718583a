import Foundation

/// Computes the smallest rectangle that encloses the points and segments that are added to it.
struct PointBox {
  private var low = CGPoint(x: CGFloat.infinity, y: .infinity)
  private var high = CGPoint(x: -CGFloat.infinity, y: -.infinity)

  /// The rectangle so far; the null rectangle if no point has been added.
  var rect: CGRect {
    low.x > high.x ? .null : CGRect(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
  }

  mutating func enclose(_ point: CGPoint) {
    low = CGPoint(x: min(low.x, point.x), y: min(low.y, point.y))
    high = CGPoint(x: max(high.x, point.x), y: max(high.y, point.y))
  }

  /// Adds the end of a segment that begins at `begin`, and for a curve also its extreme points in x and in y.
  mutating func enclose(_ segment: PathSegment, from begin: CGPoint) {
    switch segment {
    case .move(let point), .line(let point): enclose(point)
    case .quad(let control, let end):
      enclose(end)
      for parameter in Self.turns(begin.x, control.x, end.x) + Self.turns(begin.y, control.y, end.y) {
        enclose(Bezier.point(begin, control, end, at: parameter))
      }
    case .curve(let control1, let control2, let end):
      enclose(end)
      let turns = Self.turns(begin.x, control1.x, control2.x, end.x) + Self.turns(begin.y, control1.y, control2.y, end.y)
      for parameter in turns { enclose(Bezier.point(begin, control1, control2, end, at: parameter)) }
    case .close: break
    }
  }

  /// The parameters between 0 and 1 at which a quadratic curve's derivative in one coordinate is zero: the curve's extreme points.
  private static func turns(_ p0: CGFloat, _ p1: CGFloat, _ p2: CGFloat) -> [CGFloat] {
    inside([(p0 - p1) / (p0 - 2 * p1 + p2)])
  }

  /// The parameters between 0 and 1 at which a cubic curve's derivative in one coordinate is zero: the curve's extreme points.
  private static func turns(_ p0: CGFloat, _ p1: CGFloat, _ p2: CGFloat, _ p3: CGFloat) -> [CGFloat] {
    let (a, b, c) = (p3 - 3 * p2 + 3 * p1 - p0, 2 * (p0 - 2 * p1 + p2), p1 - p0)
    let root = (b * b - 4 * a * c).squareRoot()
    guard !root.isNaN else { return [] }
    // This form of the quadratic formula avoids cancellation (the difference of two nearly equal numbers), and also covers a = 0.
    let sum = -(b + (b < 0 ? -root : root)) / 2
    return inside([sum / a, c / sum])
  }

  private static func inside(_ parameters: [CGFloat]) -> [CGFloat] { parameters.filter { $0 > 0 && $0 < 1 } }
}

/// Points on quadratic and cubic curves, by their parameter from 0 to 1.
enum Bezier {
  static func point(_ p0: CGPoint, _ p1: CGPoint, _ p2: CGPoint, at t: CGFloat) -> CGPoint {
    let s = 1 - t
    let (a, b, c) = (s * s, 2 * s * t, t * t)
    return CGPoint(x: a * p0.x + b * p1.x + c * p2.x, y: a * p0.y + b * p1.y + c * p2.y)
  }

  static func point(_ p0: CGPoint, _ p1: CGPoint, _ p2: CGPoint, _ p3: CGPoint, at t: CGFloat) -> CGPoint {
    let s = 1 - t
    let (a, b, c, d) = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
    return CGPoint(x: a * p0.x + b * p1.x + c * p2.x + d * p3.x, y: a * p0.y + b * p1.y + c * p2.y + d * p3.y)
  }
}
