import Foundation

extension PathData {
  /// The signed angle of an arc from `start` to `end`, in radians: positive if `increasing`, otherwise negative.
  ///
  /// If `end` lies on the other side of `start`, whole turns are added until the direction fits. A difference of whole turns is a full circle, and
  /// more than two turns are reduced to between one and two.
  static func sweep(from start: CGFloat, to end: CGFloat, increasing: Bool) -> CGFloat {
    let turn = 2 * CGFloat.pi
    let difference = increasing ? end - start : start - end
    guard difference.isFinite else { return .nan }
    var angle = difference
    if angle < 0 {
      angle = angle.truncatingRemainder(dividingBy: turn)
      if angle > -1e-9 { angle = 0 }
      angle += turn
    }
    return increasing ? limited(angle) : -limited(angle)
  }

  /// The angle reduced by whole turns to at most two turns, so that it ends at the same point.
  private static func limited(_ angle: CGFloat) -> CGFloat {
    let turn = 2 * CGFloat.pi
    guard abs(angle) > turn else { return angle }
    let rest = angle.truncatingRemainder(dividingBy: turn)
    return angle < 0 ? rest - turn : rest + turn
  }

  /// Adds an arc of a circle as cubic curves of at most a quarter turn each, with a line from the current point to the arc's beginning.
  ///
  /// - Parameters:
  ///   - angle: The angle of the arc's beginning, in radians from the positive x axis towards the positive y axis.
  ///   - delta: The angle to sweep, in radians; may be negative.
  mutating func addArc(
    center: CGPoint, radius: CGFloat, startAngle angle: CGFloat, delta: CGFloat, transform: CGAffineTransform = .identity
  ) {
    guard center.isFinite, radius.isFinite, angle.isFinite, delta.isFinite else { return }
    let delta = Self.limited(delta)
    func point(_ angle: CGFloat, along tangent: CGFloat) -> CGPoint {
      CGPoint(
        x: center.x + radius * (cos(angle) - tangent * sin(angle)), y: center.y + radius * (sin(angle) + tangent * cos(angle))
      ).applying(transform)
    }
    join(point(angle, along: 0))
    guard delta != 0 else { return }
    let pieces = (abs(delta) / (.pi / 2) - 1e-9).rounded(.up)
    let step = delta / max(1, pieces)
    let tangent = 4 / 3 * tan(step / 4)
    for piece in 0..<Int(max(1, pieces)) {
      let (from, to) = (angle + CGFloat(piece) * step, angle + CGFloat(piece + 1) * step)
      append(.curve(control1: point(from, along: tangent), control2: point(to, along: -tangent), end: point(to, along: 0)))
    }
  }

  /// Adds an arc that touches the lines from the current point to `corner` and from `corner` to `end`, with a line to the arc's beginning. Adds only
  /// a line to `corner` if no such arc exists.
  mutating func addArc(corner: CGPoint, end: CGPoint, radius: CGFloat) {
    guard corner.isFinite, end.isFinite, radius.isFinite, let current else { return }
    let (inX, inY) = (current.x - corner.x, current.y - corner.y)
    let (outX, outY) = (end.x - corner.x, end.y - corner.y)
    let (inLength, outLength) = (hypot(inX, inY), hypot(outX, outY))
    guard inLength > 0, outLength > 0, radius != 0 else { return addLine(to: corner) }
    let (inUnit, outUnit) = (CGVector(dx: inX / inLength, dy: inY / inLength), CGVector(dx: outX / outLength, dy: outY / outLength))
    let cosine = max(-1, min(1, inUnit.dx * outUnit.dx + inUnit.dy * outUnit.dy))
    let half = acos(cosine) / 2
    guard half > 1e-7, half < .pi / 2 - 1e-7 else { return addLine(to: corner) }
    let distance = abs(radius) / tan(half)
    let begin = CGPoint(x: corner.x + inUnit.dx * distance, y: corner.y + inUnit.dy * distance)
    let finish = CGPoint(x: corner.x + outUnit.dx * distance, y: corner.y + outUnit.dy * distance)
    let bisector = CGVector(dx: inUnit.dx + outUnit.dx, dy: inUnit.dy + outUnit.dy)
    let scale = abs(radius) / sin(half) / hypot(bisector.dx, bisector.dy)
    let center = CGPoint(x: corner.x + bisector.dx * scale, y: corner.y + bisector.dy * scale)
    let startAngle = atan2(begin.y - center.y, begin.x - center.x)
    var delta = atan2(finish.y - center.y, finish.x - center.x) - startAngle
    if delta > .pi { delta -= 2 * .pi } else if delta < -.pi { delta += 2 * .pi }
    addArc(center: center, radius: abs(radius), startAngle: startAngle, delta: delta)
  }
}
