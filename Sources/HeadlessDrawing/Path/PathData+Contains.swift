import Foundation

extension PathData {
  /// Whether a fill by this rule paints the point. Open subpaths count as closed, as they do in a fill.
  func contains(_ point: CGPoint, rule: CGPathFillRule) -> Bool {
    guard point.isFinite else { return false }
    let windings = windings(around: point)
    switch rule {
    case .winding: return windings != 0
    case .evenOdd: return !windings.isMultiple(of: 2)
    }
  }

  /// The winding number: how often the path crosses the ray from the point towards larger x, upwards in y counted as 1 and downwards as -1.
  private func windings(around point: CGPoint) -> Int {
    var result = 0
    var (start, begin) = (CGPoint.zero, CGPoint.zero)
    for segment in segments {
      let end: CGPoint
      switch segment {
      case .move(let target):
        // A move ends the subpath before it, which counts as closed by a line to its start.
        result += Self.crossing(from: begin, to: start, rightOf: point)
        (start, begin) = (target, target)
        continue
      case .close: end = start
      case .line(let target): end = target
      case .quad(let control, let target):
        end = target
        result += CubicCurve(begin, quadratic: control, end).windings(around: point)
      case .curve(let control1, let control2, let target):
        end = target
        result += CubicCurve(p0: begin, p1: control1, p2: control2, p3: end).windings(around: point)
      }
      if segment.isStraight { result += Self.crossing(from: begin, to: end, rightOf: point) }
      begin = end
    }
    return result + Self.crossing(from: begin, to: start, rightOf: point)
  }

  /// 1 if the line crosses the ray from the point towards larger x with growing y, -1 with falling y, 0 if it doesn't cross. Of the line's two ends
  /// only that with the smaller y counts as part of it, so that a ray through a corner of a path is counted once.
  fileprivate static func crossing(from begin: CGPoint, to end: CGPoint, rightOf point: CGPoint) -> Int {
    guard (begin.y <= point.y) != (end.y <= point.y) else { return 0 }
    let position = begin.x + (point.y - begin.y) / (end.y - begin.y) * (end.x - begin.x)
    guard position > point.x else { return 0 }
    return begin.y <= point.y ? 1 : -1
  }
}

/// A cubic curve by its ends and control points.
private struct CubicCurve {
  var p0: CGPoint
  var p1: CGPoint
  var p2: CGPoint
  var p3: CGPoint

  /// The curve's part of the winding number: its crossings of the ray from the point towards larger x, 1 with growing y and -1 with falling y.
  ///
  /// If the bounding box of the control points contains the point, the curve is halved, up to `halvings` times; otherwise it crosses the ray as often
  /// as the line between its ends.
  func windings(around point: CGPoint, halvings: Int = 24) -> Int {
    let (low, high) = (min(p0.y, p1.y, p2.y, p3.y), max(p0.y, p1.y, p2.y, p3.y))
    if high <= point.y || low > point.y || max(p0.x, p1.x, p2.x, p3.x) <= point.x { return 0 }
    if halvings == 0 || min(p0.x, p1.x, p2.x, p3.x) > point.x { return PathData.crossing(from: p0, to: p3, rightOf: point) }
    let (first, second) = halves
    return first.windings(around: point, halvings: halvings - 1) + second.windings(around: point, halvings: halvings - 1)
  }

  private var halves: (CubicCurve, CubicCurve) {
    func middle(_ a: CGPoint, _ b: CGPoint) -> CGPoint { CGPoint(x: a.x / 2 + b.x / 2, y: a.y / 2 + b.y / 2) }
    let (p01, p12, p23) = (middle(p0, p1), middle(p1, p2), middle(p2, p3))
    let (p012, p123) = (middle(p01, p12), middle(p12, p23))
    let center = middle(p012, p123)
    return (CubicCurve(p0: p0, p1: p01, p2: p012, p3: center), CubicCurve(p0: center, p1: p123, p2: p23, p3: p3))
  }
}

extension CubicCurve {
  /// The cubic curve of the same shape as a quadratic one: each control point is two thirds of the way from an end to `control`.
  init(_ p0: CGPoint, quadratic control: CGPoint, _ end: CGPoint) {
    func point(_ from: CGPoint) -> CGPoint {
      CGPoint(x: from.x / 3 + control.x * 2 / 3, y: from.y / 3 + control.y * 2 / 3)
    }
    self.init(p0: p0, p1: point(p0), p2: point(end), p3: end)
  }
}

extension PathSegment {
  fileprivate var isStraight: Bool {
    switch self {
    case .move, .line, .close: true
    case .quad, .curve: false
    }
  }
}
