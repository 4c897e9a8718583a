import Foundation

extension PathData {
  /// The distance of the control points from the ends of a cubic curve that approximates a quarter of the unit circle.
  private static let quarter: CGFloat = 0.552_284_749_830_793_4

  /// A closed rectangle from its corner of smallest coordinates, along the x axis first.
  mutating func addRect(_ rect: CGRect) {
    guard rect.isFinite else { return }
    move(to: CGPoint(x: rect.minX, y: rect.minY))
    addLine(to: CGPoint(x: rect.maxX, y: rect.minY))
    addLine(to: CGPoint(x: rect.maxX, y: rect.maxY))
    addLine(to: CGPoint(x: rect.minX, y: rect.maxY))
    close()
  }

  /// A closed ellipse of four curves, from its point of largest x towards larger y.
  mutating func addEllipse(in rect: CGRect) {
    guard rect.isFinite else { return }
    let (x, y) = (rect.midX, rect.midY)
    let (dx, dy) = ((rect.maxX - x) * Self.quarter, (rect.maxY - y) * Self.quarter)
    move(to: CGPoint(x: rect.maxX, y: y))
    addCurve(CGPoint(x: rect.maxX, y: y + dy), CGPoint(x: x + dx, y: rect.maxY), CGPoint(x: x, y: rect.maxY))
    addCurve(CGPoint(x: x - dx, y: rect.maxY), CGPoint(x: rect.minX, y: y + dy), CGPoint(x: rect.minX, y: y))
    addCurve(CGPoint(x: rect.minX, y: y - dy), CGPoint(x: x - dx, y: rect.minY), CGPoint(x: x, y: rect.minY))
    addCurve(CGPoint(x: x + dx, y: rect.minY), CGPoint(x: rect.maxX, y: y - dy), CGPoint(x: rect.maxX, y: y))
    close()
  }

  /// Adds a closed rectangle whose `corners` are quarters of ellipses with these radii, limited to half the sides. The other corners are sharp.
  mutating func addRoundedRect(_ rect: CGRect, corners: UIRectCorner = .allCorners, radii: CGSize) {
    guard rect.isFinite else { return }
    let width = Self.limited(radii.width, to: rect.width / 2)
    let height = Self.limited(radii.height, to: rect.height / 2)
    guard width > 0, height > 0 else { return addRect(rect) }
    let (left, right, top, bottom) = (rect.minX, rect.maxX, rect.minY, rect.maxY)
    move(to: CGPoint(x: corners.contains(.topLeft) ? left + width : left, y: top))
    addCorner(CGPoint(x: right, y: top), from: CGVector(dx: -width, dy: 0), to: CGVector(dx: 0, dy: height), corners.contains(.topRight))
    addCorner(
      CGPoint(x: right, y: bottom), from: CGVector(dx: 0, dy: -height), to: CGVector(dx: -width, dy: 0), corners.contains(.bottomRight))
    addCorner(
      CGPoint(x: left, y: bottom), from: CGVector(dx: width, dy: 0), to: CGVector(dx: 0, dy: -height), corners.contains(.bottomLeft))
    if corners.contains(.topLeft) {
      addCorner(CGPoint(x: left, y: top), from: CGVector(dx: 0, dy: height), to: CGVector(dx: width, dy: 0), true)
    }
    close()
  }

  /// Adds a line to a corner. If the corner is round, the line ends at `corner + from`, and a quarter of an ellipse to `corner + to` follows.
  private mutating func addCorner(_ corner: CGPoint, from: CGVector, to: CGVector, _ isRound: Bool) {
    guard isRound else { return addLine(to: corner) }
    func point(_ vector: CGVector, _ factor: CGFloat) -> CGPoint {
      CGPoint(x: corner.x + vector.dx * factor, y: corner.y + vector.dy * factor)
    }
    addLine(to: point(from, 1))
    addCurve(point(from, 1 - Self.quarter), point(to, 1 - Self.quarter), point(to, 1))
  }

  private mutating func addCurve(_ control1: CGPoint, _ control2: CGPoint, _ end: CGPoint) {
    append(.curve(control1: control1, control2: control2, end: end))
  }

  private static func limited(_ radius: CGFloat, to limit: CGFloat) -> CGFloat { radius > 0 ? min(radius, limit) : 0 }
}
