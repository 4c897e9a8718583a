import Foundation
import Testing

@testable import HeadlessDrawing

struct SVGTests {
  private func svg(_ actions: (UIGraphicsImageRendererContext) -> Void) -> String {
    String(decoding: UIGraphicsImageRenderer(size: CGSize(width: 100, height: 50)).svgData(actions: actions), as: UTF8.self)
  }

  @Test func documentHasTheSizeOfTheRenderer() {
    #expect(svg { _ in } == "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"50\" viewBox=\"0 0 100 50\">\n</svg>\n")
  }

  @Test func fillIsAPath() {
    let text = svg { _ in
      UIColor.red.withAlphaComponent(0.5).setFill()
      UIBezierPath(rect: CGRect(x: 1, y: 2, width: 3, height: 4.5)).fill()
    }
    #expect(text.contains("<path d=\"M1 2L4 2L4 6.5L1 6.5Z\" fill=\"#ff0000\" fill-opacity=\"0.5\"/>"))
  }

  @Test func strokeHasItsAttributes() {
    let text = svg { _ in
      UIColor.blue.setStroke()
      let path = UIBezierPath()
      path.move(to: CGPoint(x: 0, y: 0))
      path.addLine(to: CGPoint(x: 10, y: 0))
      path.lineCapStyle = .round
      path.lineJoinStyle = .bevel
      path.lineWidth = 2.5
      path.setLineDash([3, 1], count: 2, phase: 2)
      path.stroke()
    }
    let attributes =
      "stroke-width=\"2.5\" stroke-linecap=\"round\" stroke-linejoin=\"bevel\" stroke-dasharray=\"3 1\" stroke-dashoffset=\"2\""
    #expect(text.contains("<path d=\"M0 0L10 0\" \(attributes) fill=\"none\" stroke=\"#0000ff\"/>"))
  }

  @Test func penThatIsNotACircleIsTransformed() {
    let text = svg { context in
      context.cgContext.scaleBy(x: 2, y: 1)
      context.cgContext.stroke(CGRect(x: 0, y: 0, width: 1, height: 1), width: 3)
    }
    #expect(text.contains("transform=\"matrix(2 0 0 1 0 0)\" stroke-width=\"3\""))
  }

  @Test func aClipWithinALayerEndsWithIt() {
    let text = svg { context in
      context.cgContext.beginTransparencyLayer(auxiliaryInfo: nil)
      context.fill(CGRect(x: 0, y: 0, width: 9, height: 9))
      context.clip(to: CGRect(x: 0, y: 0, width: 4, height: 4))
      context.fill(CGRect(x: 0, y: 0, width: 8, height: 8))
      context.cgContext.endTransparencyLayer()
    }
    let (whole, clipped) = ("<path d=\"M0 0L9 0L9 9L0 9Z\" fill=\"#000000\"/>", "<path d=\"M0 0L8 0L8 8L0 8Z\" fill=\"#000000\"/>")
    #expect(text.hasSuffix("</defs>\n<g>\n\(whole)\n<g clip-path=\"url(#d1)\">\n\(clipped)\n</g>\n</g>\n</svg>\n"))
  }

  @Test func aLayerIsIsolatedWhereSomethingIsBlendedInIt() {
    let text = svg { context in
      context.cgContext.beginTransparencyLayer(auxiliaryInfo: nil)
      context.fill(CGRect(x: 0, y: 0, width: 9, height: 9), blendMode: .multiply)
      context.cgContext.endTransparencyLayer()
    }
    #expect(text.contains("<g style=\"isolation:isolate\">\n<g style=\"mix-blend-mode:multiply\">"))
  }

  @Test func clipsNestAndEnd() {
    let text = svg { context in
      context.cgContext.saveGState()
      context.clip(to: CGRect(x: 0, y: 0, width: 5, height: 5))
      context.clip(to: CGRect(x: 0, y: 0, width: 4, height: 4))
      context.fill(CGRect(x: 0, y: 0, width: 3, height: 3))
      context.cgContext.restoreGState()
      context.fill(CGRect(x: 0, y: 0, width: 2, height: 2))
    }
    #expect(text.contains("<clipPath id=\"d2\" clip-path=\"url(#d1)\"><path d=\"M0 0L4 0L4 4L0 4Z\"/></clipPath>"))
    #expect(text.contains("<g clip-path=\"url(#d2)\">\n<path d=\"M0 0L3 0L3 3L0 3Z\" fill=\"#000000\"/>\n</g>\n<path d=\"M0 0L2 0"))
  }

  @Test func textIsEscaped() {
    let text = svg { _ in
      "a<b> & \"c\"\u{1}\0".draw(at: .zero, withAttributes: [.font: UIFont(name: "A\"B", size: 9) ?? .systemFont(ofSize: 9)])
    }
    #expect(text.contains(">a&lt;b&gt; &amp; &quot;c&quot;</text>"))
    #expect(text.contains("font-family=\"A&quot;B\" font-size=\"9\""))
  }

  @Test func numbersDoNotGrowLong() {
    #expect(CGFloat(0.1 + 0.2).svg == "0.3")
    #expect(CGFloat(-0.0).svg == "0")
    #expect(CGFloat.nan.svg == "0")
    #expect(CGFloat(1234.56789).svg == "1234.568")
  }

  @Test func documentIsWellFormed() {
    var random = SeededRandom(seed: 1)
    let data = UIGraphicsImageRenderer(size: CGSize(width: 200, height: 200)).svgData { context in
      for index in SamplePaths.indices {
        context.cgContext.setBlendMode(CGBlendMode(rawValue: Int32.random(in: 0...27, using: &random)) ?? .normal)
        if index.isMultiple(of: 5) { context.cgContext.beginTransparencyLayer(auxiliaryInfo: nil) }
        if index.isMultiple(of: 7) { SamplePaths[index].addClip() }
        SamplePaths[index].fill()
        SamplePaths[index].stroke(with: .destinationOut, alpha: 0.5)
      }
    }
    #expect(SVGComparison.isWellFormed(data))
  }
}
