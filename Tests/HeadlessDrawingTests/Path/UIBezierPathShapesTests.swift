import Foundation
import Testing

@testable import HeadlessDrawing

struct UIBezierPathShapesTests {
  private let rect = CGRect(x: 10, y: 20, width: 100, height: 60)

  private func isNear(_ left: CGRect, _ right: CGRect, within distance: CGFloat = 1e-9) -> Bool {
    abs(left.minX - right.minX) <= distance && abs(left.minY - right.minY) <= distance && abs(left.maxX - right.maxX) <= distance
      && abs(left.maxY - right.maxY) <= distance
  }

  @Test func emptyPathHasNoBounds() {
    let path = UIBezierPath()
    #expect(path.isEmpty)
    #expect(path.bounds.isNull)
    #expect(path.currentPoint == .zero)
    #expect(!path.contains(.zero))
    #expect(path.lineWidth == 1 && path.miterLimit == 10 && path.lineCapStyle == .butt && path.lineJoinStyle == .miter)
  }

  @Test func rectangleIsClosedAndClockwise() {
    let path = UIBezierPath(rect: rect)
    #expect(path.bounds == rect)
    #expect(path.currentPoint == CGPoint(x: 10, y: 20))
    var found = CGRect.zero
    #expect(path.cgPath.isRect(&found))
    #expect(found == rect)
    #expect(
      path.data.segments == [
        .move(CGPoint(x: 10, y: 20)), .line(CGPoint(x: 110, y: 20)), .line(CGPoint(x: 110, y: 80)), .line(CGPoint(x: 10, y: 80)), .close,
      ])
  }

  @Test func rectangleOfNegativeSizeIsStandardized() {
    #expect(UIBezierPath(rect: CGRect(x: 110, y: 80, width: -100, height: -60)).bounds == rect)
  }

  @Test func ovalTouchesTheRectangle() {
    let path = UIBezierPath(ovalIn: rect)
    #expect(isNear(path.bounds, rect))
    #expect(path.contains(CGPoint(x: 60, y: 50)))
    #expect(!path.contains(CGPoint(x: 12, y: 22)))
    #expect(path.currentPoint == CGPoint(x: 110, y: 50))
  }

  @Test func cornerRadiusIsLimited() {
    let path = UIBezierPath(roundedRect: rect, cornerRadius: 1000)
    #expect(isNear(path.bounds, rect))
    #expect(!path.contains(CGPoint(x: 12, y: 22)))
    #expect(path.contains(CGPoint(x: 40, y: 21)))
    #expect(UIBezierPath(roundedRect: rect, cornerRadius: 0).cgPath == UIBezierPath(rect: rect).cgPath)
    #expect(UIBezierPath(roundedRect: rect, cornerRadius: -5).bounds == rect)
    #expect(UIBezierPath(roundedRect: rect, cornerRadius: .nan).bounds == rect)
  }

  @Test(arguments: [UIRectCorner.topLeft, .topRight, .bottomLeft, .bottomRight])
  func onlyTheNamedCornersAreRound(corner: UIRectCorner) {
    let path = UIBezierPath(roundedRect: rect, byRoundingCorners: corner, cornerRadii: CGSize(width: 20, height: 20))
    #expect(path.contains(CGPoint(x: 11, y: 21)) == (corner != .topLeft))
    #expect(path.contains(CGPoint(x: 109, y: 21)) == (corner != .topRight))
    #expect(path.contains(CGPoint(x: 11, y: 79)) == (corner != .bottomLeft))
    #expect(path.contains(CGPoint(x: 109, y: 79)) == (corner != .bottomRight))
    #expect(isNear(path.bounds, rect))
  }

  @Test func cornerRadiiMayDiffer() {
    let path = UIBezierPath(roundedRect: rect, byRoundingCorners: .allCorners, cornerRadii: CGSize(width: 50, height: 10))
    #expect(path.contains(CGPoint(x: 11, y: 35)))
    #expect(!path.contains(CGPoint(x: 20, y: 21)))
  }

  @Test func clockwiseIsClockwiseOnTheScreen() {
    let center = CGPoint(x: 100, y: 100)
    let clockwise = UIBezierPath(arcCenter: center, radius: 50, startAngle: 0, endAngle: .pi, clockwise: true)
    // From the right by way of the bottom, where y is larger.
    #expect(isNear(clockwise.bounds, CGRect(x: 50, y: 100, width: 100, height: 50)))
    let counterclockwise = UIBezierPath(arcCenter: center, radius: 50, startAngle: 0, endAngle: .pi, clockwise: false)
    #expect(isNear(counterclockwise.bounds, CGRect(x: 50, y: 50, width: 100, height: 50)))
    #expect(clockwise.data.segments.first == .move(CGPoint(x: 150, y: 100)))
  }

  @Test func coreGraphicsClockwiseIsTheOtherWay() {
    let path = CGMutablePath()
    path.addArc(center: CGPoint(x: 100, y: 100), radius: 50, startAngle: 0, endAngle: .pi, clockwise: true)
    #expect(isNear(path.boundingBoxOfPath, CGRect(x: 50, y: 50, width: 100, height: 50)))
  }

  @Test(arguments: [true, false])
  func arcOfATurnIsACircle(clockwise: Bool) {
    let quarter = CGFloat.pi / 2
    let angles: [(CGFloat, CGFloat)] = [
      (0, 4 * quarter), (4 * quarter, 0), (-quarter, 3 * quarter), (0, 8 * quarter), (1, 1 + 4 * quarter),
    ]
    for (start, end) in angles {
      let path = UIBezierPath(arcCenter: CGPoint(x: 50, y: 50), radius: 50, startAngle: start, endAngle: end, clockwise: clockwise)
      #expect(isNear(path.bounds, CGRect(x: 0, y: 0, width: 100, height: 100), within: 0.02))
    }
    let none = UIBezierPath(arcCenter: CGPoint(x: 50, y: 50), radius: 50, startAngle: 1, endAngle: 1, clockwise: clockwise)
    #expect(none.bounds.isNull)
  }

  @Test func arcKeepsItsDistanceFromTheCenter() throws {
    let path = UIBezierPath(arcCenter: CGPoint(x: 3, y: 4), radius: 100, startAngle: 0.3, endAngle: 5.9, clockwise: true)
    for line in path.data.flattened(within: 0.01) {
      for point in line.points { #expect(abs(hypot(point.x - 3, point.y - 4) - 100) < 0.05) }
    }
    let end = path.currentPoint
    #expect(abs(end.x - (3 + 100 * cos(5.9))) < 1e-9 && abs(end.y - (4 + 100 * sin(5.9))) < 1e-9)
  }

  @Test func arcIsJoinedByALine() {
    let path = UIBezierPath()
    path.move(to: .zero)
    path.addArc(withCenter: CGPoint(x: 100, y: 0), radius: 10, startAngle: .pi, endAngle: 0, clockwise: true)
    #expect(path.data.segments.prefix(2).last?.end == CGPoint(x: 90, y: path.data.segments[1].end?.y ?? .nan))
    #expect(path.data.segments.count == 4)
  }

  @Test func tangentArcRoundsACorner() {
    let path = CGMutablePath()
    path.move(to: .zero)
    path.addArc(tangent1End: CGPoint(x: 100, y: 0), tangent2End: CGPoint(x: 100, y: 100), radius: 20)
    #expect(abs(path.currentPoint.x - 100) < 1e-9 && abs(path.currentPoint.y - 20) < 1e-9)
    #expect(path.data.segments[1].end.map { abs($0.x - 80) < 1e-9 && abs($0.y) < 1e-9 } == true)
    let straight = CGMutablePath()
    straight.move(to: .zero)
    straight.addArc(tangent1End: CGPoint(x: 50, y: 0), tangent2End: CGPoint(x: 100, y: 0), radius: 20)
    #expect(straight.currentPoint == CGPoint(x: 50, y: 0))
  }

  @Test func relativeArcSweepsItsAngle() {
    let path = CGMutablePath()
    path.addRelativeArc(center: .zero, radius: 10, startAngle: 0, delta: -.pi / 2)
    #expect(abs(path.currentPoint.x) < 1e-9 && abs(path.currentPoint.y + 10) < 1e-9)
  }

  @Test func boundsAreThoseOfTheCurveItself() {
    let path = UIBezierPath()
    path.move(to: CGPoint(x: 0, y: 0))
    path.addCurve(to: CGPoint(x: 100, y: 0), controlPoint1: CGPoint(x: 0, y: 100), controlPoint2: CGPoint(x: 100, y: 100))
    #expect(isNear(path.bounds, CGRect(x: 0, y: 0, width: 100, height: 75)))
    #expect(path.cgPath.boundingBox == CGRect(x: 0, y: 0, width: 100, height: 100))
    let quad = UIBezierPath()
    quad.move(to: CGPoint(x: 0, y: 0))
    quad.addQuadCurve(to: CGPoint(x: 100, y: 0), controlPoint: CGPoint(x: 50, y: 100))
    #expect(isNear(quad.bounds, CGRect(x: 0, y: 0, width: 100, height: 50)))
  }

  @Test func boundsEncloseTheFlattenedPathTightly() {
    for index in SamplePaths.indices {
      let data = SamplePaths[index].data
      var box = PointBox()
      // A point without a segment doesn't count.
      for line in data.flattened(within: 0.001) where line.points.count > 1 { line.points.forEach { box.enclose($0) } }
      #expect(isNear(box.rect, data.bounds, within: 0.01), "path \(index)")
    }
  }
}
