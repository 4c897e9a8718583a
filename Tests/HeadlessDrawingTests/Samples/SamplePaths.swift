import Foundation

@testable import HeadlessDrawing

/// Paths of all kinds inside of a square of 200 points.
enum SamplePaths {
  static let size = CGSize(width: 200, height: 200)

  static let indices = 0..<40

  /// One of the forty paths, of which the first are shapes and the others random.
  static subscript(index: Int) -> UIBezierPath {
    let shapes = shapes
    return index < shapes.count ? shapes[index] : random(index)
  }

  private static var shapes: [UIBezierPath] {
    [
      UIBezierPath(rect: CGRect(x: 20.5, y: 30.25, width: 120, height: 90)),
      UIBezierPath(ovalIn: CGRect(x: 10, y: 40, width: 180, height: 100)),
      UIBezierPath(roundedRect: CGRect(x: 15, y: 15, width: 170, height: 120), cornerRadius: 30),
      UIBezierPath(
        roundedRect: CGRect(x: 15, y: 15, width: 170, height: 120), byRoundingCorners: [.topRight, .bottomLeft],
        cornerRadii: CGSize(width: 60, height: 30)),
      UIBezierPath(arcCenter: CGPoint(x: 100, y: 100), radius: 80, startAngle: 0.5, endAngle: 5, clockwise: true),
      UIBezierPath(arcCenter: CGPoint(x: 100, y: 100), radius: 80, startAngle: 0.5, endAngle: 5, clockwise: false),
      star(points: 5, evenOdd: false), star(points: 5, evenOdd: true), star(points: 7, evenOdd: true),
      ring(evenOdd: true, reversed: false), ring(evenOdd: false, reversed: false), ring(evenOdd: false, reversed: true),
      heart(), openCurve(), dashes(), rotatedSquares(),
    ]
  }

  private static func star(points: Int, evenOdd: Bool) -> UIBezierPath {
    let path = UIBezierPath()
    for index in 0..<points {
      let angle = CGFloat(index) * 4 * .pi / CGFloat(points) - .pi / 2
      let point = CGPoint(x: 100 + 90 * cos(angle), y: 100 + 90 * sin(angle))
      if index == 0 { path.move(to: point) } else { path.addLine(to: point) }
    }
    path.close()
    path.usesEvenOddFillRule = evenOdd
    return path
  }

  private static func ring(evenOdd: Bool, reversed: Bool) -> UIBezierPath {
    let path = UIBezierPath(ovalIn: CGRect(x: 10, y: 10, width: 180, height: 180))
    let inner = UIBezierPath(ovalIn: CGRect(x: 50, y: 60, width: 90, height: 80))
    path.append(reversed ? inner.reversing() : inner)
    path.usesEvenOddFillRule = evenOdd
    return path
  }

  private static func heart() -> UIBezierPath {
    let path = UIBezierPath()
    path.move(to: CGPoint(x: 100, y: 180))
    path.addCurve(to: CGPoint(x: 20, y: 60), controlPoint1: CGPoint(x: 80, y: 140), controlPoint2: CGPoint(x: 20, y: 110))
    path.addArc(withCenter: CGPoint(x: 60, y: 60), radius: 40, startAngle: .pi, endAngle: 0, clockwise: true)
    path.addArc(withCenter: CGPoint(x: 140, y: 60), radius: 40, startAngle: .pi, endAngle: 0, clockwise: true)
    path.addCurve(to: CGPoint(x: 100, y: 180), controlPoint1: CGPoint(x: 180, y: 110), controlPoint2: CGPoint(x: 120, y: 140))
    path.close()
    return path
  }

  private static func openCurve() -> UIBezierPath {
    let path = UIBezierPath()
    path.move(to: CGPoint(x: 10, y: 150))
    path.addQuadCurve(to: CGPoint(x: 100, y: 100), controlPoint: CGPoint(x: 40, y: -40))
    path.addCurve(to: CGPoint(x: 190, y: 50), controlPoint1: CGPoint(x: 140, y: 250), controlPoint2: CGPoint(x: 200, y: 190))
    path.lineWidth = 9
    path.lineCapStyle = .round
    return path
  }

  private static func dashes() -> UIBezierPath {
    let path = UIBezierPath(roundedRect: CGRect(x: 20, y: 20, width: 150, height: 150), cornerRadius: 40)
    path.setLineDash([12, 5, 3, 5], count: 4, phase: 4)
    path.lineWidth = 4
    return path
  }

  private static func rotatedSquares() -> UIBezierPath {
    let path = UIBezierPath()
    for turn in 0..<3 {
      let square = UIBezierPath(rect: CGRect(x: -60, y: -60, width: 120, height: 120))
      square.apply(CGAffineTransform(translationX: 100, y: 100).rotated(by: CGFloat(turn) * .pi / 6))
      path.append(square)
    }
    path.usesEvenOddFillRule = true
    path.lineJoinStyle = .bevel
    path.lineWidth = 5
    return path
  }

  /// Lines, curves and arcs between random points, in several subpaths, open and closed.
  private static func random(_ seed: Int) -> UIBezierPath {
    var random = SeededRandom(seed: UInt64(seed))
    func point() -> CGPoint { CGPoint(x: CGFloat.random(in: 5...195, using: &random), y: CGFloat.random(in: 5...195, using: &random)) }
    let path = UIBezierPath()
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      path.move(to: point())
      for _ in 0..<Int.random(in: 2...6, using: &random) {
        switch Int.random(in: 0...3, using: &random) {
        case 0: path.addLine(to: point())
        case 1: path.addQuadCurve(to: point(), controlPoint: point())
        case 2: path.addCurve(to: point(), controlPoint1: point(), controlPoint2: point())
        default:
          path.addArc(
            withCenter: point(), radius: CGFloat.random(in: 5...50, using: &random), startAngle: CGFloat.random(in: -7...7, using: &random),
            endAngle: CGFloat.random(in: -7...7, using: &random), clockwise: Bool.random(using: &random))
        }
      }
      if Bool.random(using: &random) { path.close() }
    }
    path.usesEvenOddFillRule = Bool.random(using: &random)
    path.lineWidth = CGFloat.random(in: 0.5...6, using: &random)
    path.lineJoinStyle = CGLineJoin(rawValue: Int32.random(in: 0...2, using: &random)) ?? .miter
    path.lineCapStyle = CGLineCap(rawValue: Int32.random(in: 0...2, using: &random)) ?? .butt
    return path
  }
}
