import Foundation
import Testing

@testable import HeadlessDrawing

@Suite(.enabled(if: HeadlessBitmaps.isAvailable, "cairo isn't there"))
struct CGContextTests {
  private let unit = CGRect(x: 0, y: 0, width: 10, height: 10)

  @Test func stateIsSavedAndRestored() {
    let image = UIImage.drawn(20, 10) { context in
      context.setFillColor(UIColor.red.cgColor)
      context.saveGState()
      context.setFillColor(UIColor.blue.cgColor)
      context.translateBy(x: 100, y: 0)
      context.setAlpha(0)
      context.clip(to: CGRect(x: 0, y: 0, width: 1, height: 1))
      context.restoreGState()
      context.fill(unit)
      context.restoreGState()
      context.restoreGState()
      context.fill(unit.offsetBy(dx: 10, dy: 0))
    }
    #expect(image.pixel(5, 5) == Pixel.red && image.pixel(15, 5) == Pixel.red)
  }

  @Test func transformsApplyInOrder() {
    let image = UIImage.drawn(40, 40) { context in
      context.translateBy(x: 20, y: 20)
      context.rotate(by: .pi / 2)
      context.scaleBy(x: 2, y: 1)
      // To the right, before it is turned clockwise: downwards.
      context.fill(CGRect(x: 0, y: -2, width: 5, height: 4))
      let corner = context.convertToDeviceSpace(CGPoint(x: 5, y: 0))
      #expect(abs(corner.x - 20) < 1e-9 && abs(corner.y - 30) < 1e-9)
      let back = context.convertToUserSpace(corner)
      #expect(abs(back.x - 5) < 1e-9 && abs(back.y) < 1e-9)
    }
    #expect(image.pixel(20, 28) == Pixel.black && image.pixel(28, 20) == Pixel.none && image.pixel(20, 32) == Pixel.none)
  }

  @Test func pathKeepsThePointsOfTheTransformAtTheTime() {
    let image = UIImage.drawn(30, 10) { context in
      context.addRect(unit)
      context.translateBy(x: 20, y: 0)
      context.addRect(unit)
      #expect(context.path?.boundingBox == CGRect(x: -20, y: 0, width: 30, height: 10))
      context.fillPath()
    }
    #expect(image.pixel(5, 5) == Pixel.black && image.pixel(15, 5) == Pixel.none && image.pixel(25, 5) == Pixel.black)
  }

  @Test func penIsScaledWithTheTransform() {
    let image = UIImage.drawn(40, 40) { context in
      context.scaleBy(x: 4, y: 1)
      context.setLineWidth(4)
      context.move(to: CGPoint(x: 5, y: 0))
      context.addLine(to: CGPoint(x: 5, y: 40))
      context.strokePath()
    }
    #expect(image.pixel(13, 20) == Pixel.black && image.pixel(27, 20) == Pixel.black && image.pixel(10, 20) == Pixel.none)
  }

  @Test func scaleMakesMorePixels() {
    let format = UIGraphicsImageRendererFormat()
    format.scale = 3
    let image = UIGraphicsImageRenderer(size: CGSize(width: 10, height: 10), format: format).image { context in
      #expect(context.cgContext.ctm == CGAffineTransform(scaleX: 3, y: 3))
      context.fill(CGRect(x: 0, y: 0, width: 5, height: 10))
    }
    #expect(image.size == CGSize(width: 10, height: 10) && image.cgImage?.width == 30)
    #expect(image.pixel(14, 5) == Pixel.black && image.pixel(15, 5) == Pixel.none)
  }

  @Test func boundsMoveTheOrigin() {
    let image = UIGraphicsImageRenderer(bounds: CGRect(x: 100, y: 50, width: 10, height: 10)).image { context in
      context.fill(CGRect(x: 100, y: 50, width: 5, height: 5))
    }
    #expect(image.pixel(2, 2) == Pixel.black && image.pixel(7, 7) == Pixel.none)
  }

  @Test func opaqueImagesBeginBlack() {
    let format = UIGraphicsImageRendererFormat()
    format.opaque = true
    #expect(UIGraphicsImageRenderer(size: CGSize(width: 2, height: 2), format: format).image { _ in }.pixel(0, 0) == Pixel.black)
  }

  @Test func alphaMultipliesTheColors() {
    let image = UIImage.drawn(10, 10) { context in
      context.setAlpha(0.5)
      context.setFillColor(red: 1, green: 0, blue: 0, alpha: 0.5)
      context.fill(unit)
    }
    #expect(image.pixel(5, 5)[3] == 64)
  }

  @Test func clipsIntersectByTheirRules() {
    let image = UIImage.drawn(30, 30) { context in
      context.addRect(CGRect(x: 0, y: 0, width: 30, height: 30))
      context.addRect(CGRect(x: 10, y: 10, width: 10, height: 10))
      context.clip(using: .evenOdd)
      context.clip(to: [CGRect(x: 0, y: 0, width: 15, height: 30), CGRect(x: 25, y: 0, width: 5, height: 5)])
      // Without a path it changes nothing.
      context.clip()
      #expect(context.boundingBoxOfClipPath == CGRect(x: 0, y: 0, width: 30, height: 30))
      context.fill(CGRect(x: 0, y: 0, width: 30, height: 30))
    }
    #expect(image.pixel(5, 5) == Pixel.black && image.pixel(27, 2) == Pixel.black)
    #expect(image.pixel(12, 12) == Pixel.none && image.pixel(20, 5) == Pixel.none)
  }

  @Test func clearMakesTransparent() {
    let image = UIImage.drawn(10, 10) { context in
      context.fill(unit)
      context.clear(CGRect(x: 2, y: 2, width: 4, height: 4))
    }
    #expect(image.pixel(3, 3) == Pixel.none && image.pixel(8, 8) == Pixel.black)
  }

  @Test(arguments: [
    (CGBlendMode.normal, Pixel.red), (.multiply, Pixel.black), (.screen, [255, 0, 255, 255]), (.copy, Pixel.red), (.clear, Pixel.none),
    (.sourceIn, Pixel.red), (.sourceOut, Pixel.none), (.sourceAtop, Pixel.red), (.destinationOver, Pixel.blue),
    (.destinationIn, Pixel.blue), (.destinationOut, Pixel.none), (.destinationAtop, Pixel.blue), (.xor, Pixel.none),
    (.plusLighter, [255, 0, 255, 255]), (.darken, Pixel.black), (.lighten, [255, 0, 255, 255]), (.difference, [255, 0, 255, 255]),
  ])
  func blendModesCombineInsideOfTheShapeOnly(mode: CGBlendMode, expected: [Int]) {
    for strokes in [false, true] {
      let image = UIImage.drawn(20, 10) { context in
        context.setFillColor(UIColor.blue.cgColor)
        context.fill(CGRect(x: 0, y: 0, width: 20, height: 10))
        context.setBlendMode(mode)
        context.setFillColor(UIColor.red.cgColor)
        context.setStrokeColor(UIColor.red.cgColor)
        if strokes { context.stroke(CGRect(x: 5, y: 0, width: 0.001, height: 10), width: 10) } else { context.fill(unit) }
      }
      #expect(image.pixel(5, 5) == expected)
      #expect(image.pixel(15, 5) == Pixel.blue)
    }
  }

  @Test func layerIsBlendedAsAWhole() {
    let image = UIImage.drawn(20, 10) { context in
      context.setAlpha(0.5)
      context.beginTransparencyLayer(auxiliaryInfo: nil)
      context.setFillColor(UIColor.red.cgColor)
      context.fill(CGRect(x: 0, y: 0, width: 15, height: 10))
      context.setFillColor(UIColor.blue.cgColor)
      context.fill(CGRect(x: 5, y: 0, width: 15, height: 10))
      // One too many: the state from before the layer isn't reached.
      context.restoreGState()
      context.restoreGState()
      context.endTransparencyLayer()
      context.endTransparencyLayer()
      #expect(context.state.alpha == 0.5)
    }
    #expect(image.pixel(2, 5) == [255, 0, 0, 128] && image.pixel(10, 5) == [0, 0, 255, 128])
  }

  @Test func layersThatAreLeftOpenAreDrawn() {
    let image = UIImage.drawn(10, 10) { context in
      context.beginTransparencyLayer(auxiliaryInfo: nil)
      context.beginTransparencyLayer(auxiliaryInfo: nil)
      context.fill(unit)
    }
    #expect(image.pixel(5, 5) == Pixel.black)
  }

  @Test func gradientsRunFromTheFirstColorToTheLast() throws {
    let colors = [UIColor.red.cgColor, UIColor.blue.cgColor] as CFArray
    let gradient = try #require(CGGradient(colorsSpace: CGColorSpaceCreateDeviceRGB(), colors: colors, locations: [0, 1]))
    let image = UIImage.drawn(100, 10) { context in
      context.drawLinearGradient(gradient, start: CGPoint(x: 20, y: 0), end: CGPoint(x: 80, y: 0), options: .drawsAfterEndLocation)
    }
    #expect(image.pixel(10, 5) == Pixel.none && image.pixel(95, 5) == Pixel.blue)
    let middle = image.pixel(50, 5)
    #expect(abs(middle[0] - 127) < 8 && abs(middle[2] - 127) < 8)
    let round = UIImage.drawn(100, 100) { context in
      let center = CGPoint(x: 50, y: 50)
      context.drawRadialGradient(gradient, startCenter: center, startRadius: 10, endCenter: center, endRadius: 40, options: [])
    }
    #expect(round.pixel(50, 50) == Pixel.none && round.pixel(5, 50) == Pixel.none)
    #expect(round.pixel(62, 50)[0] > 220 && round.pixel(88, 50)[2] > 220)
  }

  @Test func dashedLineHasGaps() {
    let image = UIImage.drawn(40, 10) { context in
      context.setLineWidth(4)
      context.setLineDash(phase: 0, lengths: [10, 10])
      context.strokeLineSegments(between: [CGPoint(x: 0, y: 5), CGPoint(x: 40, y: 5)])
      context.setLineDash(phase: 0, lengths: [-1])
      context.strokeLineSegments(between: [CGPoint(x: 0, y: 9), CGPoint(x: 40, y: 9), CGPoint(x: 1, y: 1)])
    }
    #expect(image.pixel(5, 5) == Pixel.black && image.pixel(15, 5) == Pixel.none && image.pixel(25, 5) == Pixel.black)
    #expect(image.pixel(15, 8) == Pixel.black)
  }

  @Test func edgesAreSharpWithoutAntialiasing() {
    let image = UIImage.drawn(20, 20) { context in
      context.setShouldAntialias(false)
      context.fillEllipse(in: CGRect(x: 1, y: 1, width: 18, height: 18))
    }
    #expect(Set(image.cgImage?.bitmap.pixels.map { $0 >> 24 } ?? []) == [0, 255])
  }
}
