import Foundation
import Testing

@testable import HeadlessDrawing

/// Numbers that no drawing expects end neither the process nor what is drawn after them.
@Suite(.enabled(if: HeadlessBitmaps.isAvailable, "cairo isn't there"))
struct HostileNumbersTests {
  static let numbers: [CGFloat] = [
    .nan, .infinity, -.infinity, 0, -0.0, CGFloat.leastNonzeroMagnitude, 1e-20, 5, 1e7, 1e10, -1e10, 1e20, 1e154, 1e300, -1e300,
    .greatestFiniteMagnitude,
  ]

  @Test(arguments: 0..<60)
  func anythingCanBeDrawn(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    func number() -> CGFloat { Self.numbers.randomElement(using: &random) ?? 0 }
    func point() -> CGPoint { CGPoint(x: number(), y: number()) }
    func rect() -> CGRect { CGRect(x: number(), y: number(), width: number(), height: number()) }
    let picture = UIImage.drawn(3, 3) { $0.fill(CGRect(x: 0, y: 0, width: 2, height: 2)) }
    let gradient = CGGradient(stops: [
      GradientStop(location: 0, color: .black), GradientStop(location: 1, color: ColorComponents(red: 1, green: 1, blue: 1, alpha: 1)),
    ])
    let actions: (UIGraphicsImageRendererContext) -> Void = { renderer in
      let context = renderer.cgContext
      for round in 0..<30 {
        context.saveGState()
        switch Int.random(in: 0...13, using: &random) {
        case 0: context.translateBy(x: number(), y: number())
        case 1: context.scaleBy(x: number(), y: number())
        case 2: context.rotate(by: number())
        case 3: context.concatenate(CGAffineTransform(number(), number(), number(), number(), number(), number()))
        case 4: context.setLineWidth(number())
        case 5: context.setLineDash(phase: number(), lengths: [number(), number(), number()])
        case 6: context.setMiterLimit(number())
        case 7: context.clip(to: rect())
        case 8: context.setAlpha(number())
        default: break
        }
        context.fill(rect())
        context.stroke(rect(), width: number())
        context.strokeLineSegments(between: [point(), point(), point()])
        context.addArc(center: point(), radius: number(), startAngle: number(), endAngle: number(), clockwise: true)
        context.addArc(tangent1End: point(), tangent2End: point(), radius: number())
        context.addCurve(to: point(), control1: point(), control2: point())
        context.addQuadCurve(to: point(), control: point())
        _ = context.boundingBoxOfPath
        if round == 0 { _ = context.pathContains(point(), mode: .eoFillStroke) }
        context.drawPath(using: .eoFillStroke)
        context.drawLinearGradient(gradient, start: point(), end: point(), options: [])
        context.drawRadialGradient(
          gradient, startCenter: point(), startRadius: number(), endCenter: point(), endRadius: number(), options: [])
        picture.draw(in: rect(), blendMode: .normal, alpha: number())
        picture.draw(at: point())
        "text".draw(
          at: point(), withAttributes: [.font: UIFont.systemFont(ofSize: [0.01, 5, 100, 1e4].randomElement(using: &random) ?? 5)])
        "two words".draw(in: rect(), withAttributes: [.font: UIFont.systemFont(ofSize: number())])
        context.restoreGState()
      }
      context.setBlendMode(.copy)
      context.setFillColor(UIColor.red.cgColor)
      context.fill(CGRect(x: 0, y: 0, width: 20, height: 20))
    }
    let renderer = UIGraphicsImageRenderer(size: CGSize(width: 20, height: 20))
    #expect(renderer.image(actions: actions).pixel(10, 10) == Pixel.red)
    let svg = String(decoding: renderer.svgData(actions: actions), as: UTF8.self)
    #expect(!svg.contains("nan") && !svg.contains("inf"))
  }

  @Test(arguments: numbers)
  func imagesOfAnySizeMayBeEmpty(number: CGFloat) {
    guard number > 32767 || !(number > 0) || number < 1e-6 else { return }
    for size in [CGSize(width: number, height: number), CGSize(width: number, height: 1), CGSize(width: 1, height: number)] {
      let image = UIGraphicsImageRenderer(size: size).image { $0.fill(CGRect(x: 0, y: 0, width: 1, height: 1)) }
      #expect(image.cgImage == nil && image.size == .zero)
      #expect(UIGraphicsImageRenderer(size: size).pngData { _ in }.isEmpty)
      #expect(!UIGraphicsImageRenderer(size: size).svgData { $0.fill(CGRect(x: 0, y: 0, width: 1, height: 1)) }.isEmpty)
      UIGraphicsBeginImageContextWithOptions(size, true, 0)
      UIBezierPath(rect: CGRect(origin: .zero, size: size)).fill()
      #expect(UIGraphicsGetImageFromCurrentImageContext() == nil)
      UIGraphicsEndImageContext()
    }
  }

  @Test(arguments: numbers)
  func pathsOfAnyNumbersAnswer(number: CGFloat) {
    let path = UIBezierPath(ovalIn: CGRect(x: number, y: 0, width: number, height: number))
    path.append(UIBezierPath(roundedRect: CGRect(x: 0, y: 0, width: number, height: 1), cornerRadius: number))
    path.addArc(withCenter: CGPoint(x: number, y: number), radius: number, startAngle: number, endAngle: -number, clockwise: true)
    _ = (path.bounds, path.contains(CGPoint(x: number, y: number)), path.reversing(), path.cgPath.boundingBox, path.currentPoint)
    _ = path.cgPath.copy(strokingWithWidth: number, lineCap: .round, lineJoin: .miter, miterLimit: number)
    _ = path.cgPath.copy(dashingWithPhase: number, lengths: [number, 1])
    _ = path.cgPath.flattened(threshold: number)
    path.apply(CGAffineTransform(scaleX: number, y: number))
    #expect(path.data.segments.allSatisfy { $0.isFinite })
  }
}
