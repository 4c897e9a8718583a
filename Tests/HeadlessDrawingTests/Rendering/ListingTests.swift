import Foundation
import Testing

@testable import HeadlessDrawing

/// Drawing code as documents show it.
@Suite(.enabled(if: HeadlessBitmaps.isAvailable, "cairo isn't there"))
struct ListingTests {
  @Test func triangleIsFilledAndStroked() {
    let image = UIGraphicsImageRenderer(size: CGSize(width: 100, height: 100)).image { _ in
      let path = UIBezierPath()
      path.move(to: CGPoint(x: 50, y: 10))
      path.addLine(to: CGPoint(x: 90, y: 90))
      path.addLine(to: CGPoint(x: 10, y: 90))
      path.close()
      UIColor.red.setFill()
      UIColor.blue.setStroke()
      path.lineWidth = 6
      path.fill()
      path.stroke()
    }
    #expect(image.size == CGSize(width: 100, height: 100))
    #expect(image.pixel(50, 60) == Pixel.red)
    #expect(image.pixel(50, 90) == Pixel.blue)
    #expect(image.pixel(5, 5) == Pixel.none)
  }

  @Test func arcIsStroked() {
    let image = UIGraphicsImageRenderer(size: CGSize(width: 100, height: 100)).image { _ in
      let path = UIBezierPath(arcCenter: CGPoint(x: 50, y: 50), radius: 40, startAngle: 0, endAngle: .pi, clockwise: true)
      path.lineWidth = 6
      path.lineCapStyle = .round
      UIColor.green.setStroke()
      path.stroke()
    }
    #expect(image.pixel(50, 90) == Pixel.green)
    #expect(image.pixel(50, 10) == Pixel.none)
  }

  @Test func clipLimitsWhatFollows() {
    let image = UIGraphicsImageRenderer(size: CGSize(width: 100, height: 100)).image { context in
      context.cgContext.saveGState()
      UIBezierPath(ovalIn: CGRect(x: 0, y: 0, width: 100, height: 100)).addClip()
      UIColor.red.set()
      UIRectFill(CGRect(x: 0, y: 0, width: 100, height: 50))
      context.cgContext.restoreGState()
      UIColor.blue.setFill()
      UIRectFill(CGRect(x: 0, y: 90, width: 10, height: 10))
    }
    #expect(image.pixel(2, 2) == Pixel.none)
    #expect(image.pixel(50, 20) == Pixel.red)
    #expect(image.pixel(50, 70) == Pixel.none)
    #expect(image.pixel(5, 95) == Pixel.blue)
  }

  @Test func imageContextBeginsAndEnds() throws {
    UIGraphicsBeginImageContextWithOptions(CGSize(width: 20, height: 10), false, 0)
    UIColor.red.setFill()
    UIBezierPath(rect: CGRect(x: 0, y: 0, width: 10, height: 10)).fill()
    let image = try #require(UIGraphicsGetImageFromCurrentImageContext())
    UIGraphicsEndImageContext()
    #expect(UIGraphicsGetCurrentContext() == nil)
    #expect(UIGraphicsGetImageFromCurrentImageContext() == nil)
    #expect(image.size == CGSize(width: 20, height: 10) && image.scale == 1)
    #expect(image.pixel(9, 5) == Pixel.red && image.pixel(10, 5) == Pixel.none)
  }

  @Test func contextDrawsItsCurrentPath() {
    let image = UIImage.drawn(60, 60) { context in
      context.setFillColor(UIColor.red.cgColor)
      context.setStrokeColor(red: 0, green: 0, blue: 1, alpha: 1)
      context.setLineWidth(4)
      context.move(to: CGPoint(x: 10, y: 10))
      context.addLine(to: CGPoint(x: 50, y: 10))
      context.addLine(to: CGPoint(x: 50, y: 50))
      context.addLine(to: CGPoint(x: 10, y: 50))
      context.closePath()
      #expect(context.boundingBoxOfPath == CGRect(x: 10, y: 10, width: 40, height: 40))
      #expect(context.pathContains(CGPoint(x: 30, y: 30), mode: .fill))
      #expect(!context.pathContains(CGPoint(x: 30, y: 30), mode: .stroke))
      #expect(context.pathContains(CGPoint(x: 30, y: 9), mode: .fillStroke))
      context.drawPath(using: .fillStroke)
      #expect(context.isPathEmpty)
    }
    #expect(image.pixel(30, 30) == Pixel.red)
    #expect(image.pixel(30, 10) == Pixel.blue)
  }

  @Test func rendererContextFillsAndStrokesInside() {
    let image = UIGraphicsImageRenderer(size: CGSize(width: 10, height: 10)).image { context in
      UIColor.red.setStroke()
      context.stroke(context.format.bounds)
      UIColor.blue.setFill()
      context.fill(CGRect(x: 4, y: 4, width: 2, height: 2))
      #expect(context.currentImage.pixel(0, 0) == Pixel.red)
    }
    #expect(image.pixel(0, 5) == Pixel.red && image.pixel(9, 9) == Pixel.red)
    #expect(image.pixel(1, 5) == Pixel.none && image.pixel(4, 4) == Pixel.blue)
  }

  @Test func frameLiesInsideOfItsRectangle() {
    let image = UIGraphicsImageRenderer(size: CGSize(width: 10, height: 10)).image { _ in
      UIColor.red.setFill()
      UIRectFrame(CGRect(x: 1, y: 1, width: 8, height: 8))
    }
    #expect(image.pixel(1, 1) == Pixel.red && image.pixel(8, 8) == Pixel.red && image.pixel(1, 5) == Pixel.red)
    #expect(image.pixel(0, 0) == Pixel.none && image.pixel(2, 2) == Pixel.none && image.pixel(9, 9) == Pixel.none)
  }
}
