import Foundation
import Testing

@testable import HeadlessDrawing

/// The same drawing as PNG and as SVG.
@Suite(
  .enabled(if: HeadlessBitmaps.isAvailable, "cairo isn't there"),
  .enabled(if: SVGComparison.renderer != nil, "rsvg-convert isn't installed (Debian's package librsvg2-bin)"))
struct SVGAgreementTests {
  private let renderer = UIGraphicsImageRenderer(size: SamplePaths.size)

  private func difference(_ actions: (UIGraphicsImageRendererContext) -> Void) throws -> Double {
    let svg = renderer.svgData(actions: actions)
    return SVGComparison.difference(renderer.image(actions: actions), try #require(try SVGComparison.image(of: svg)))
  }

  @Test(arguments: SamplePaths.indices)
  func pathsLookAlike(index: Int) throws {
    let difference = try difference { _ in
      UIColor.systemOrange.withAlphaComponent(0.8).setFill()
      UIColor.systemBlue.setStroke()
      SamplePaths[index].fill()
      SamplePaths[index].stroke()
    }
    #expect(difference < 0.01)
  }

  @Test(arguments: 0..<8)
  func transformsAndClipsLookAlike(index: Int) throws {
    let difference = try difference { context in
      SamplePaths[index].addClip()
      UIColor.systemGray5.setFill()
      context.fill(CGRect(x: 0, y: 0, width: 200, height: 200))
      context.cgContext.translateBy(x: 100, y: 20)
      context.cgContext.rotate(by: 0.4)
      context.cgContext.scaleBy(x: 0.8, y: 0.5)
      UIColor.systemRed.setFill()
      SamplePaths[index + 16].fill(with: .multiply, alpha: 0.7)
      SamplePaths[index + 24].stroke()
    }
    #expect(difference < 0.01)
  }

  @Test func gradientsLayersAndMasksLookAlike() throws {
    let gradient = CGGradient(stops: [
      GradientStop(location: 0.1, color: UIColor.red.cgColor.rgba), GradientStop(location: 0.5, color: UIColor.yellow.cgColor.rgba),
      GradientStop(location: 1, color: UIColor.blue.withAlphaComponent(0.3).cgColor.rgba),
    ])
    let difference = try difference { context in
      let drawing = context.cgContext
      drawing.drawLinearGradient(
        gradient, start: CGPoint(x: 20, y: 20), end: CGPoint(x: 150, y: 90), options: .drawsBeforeStartLocation)
      drawing.setAlpha(0.6)
      drawing.beginTransparencyLayer(auxiliaryInfo: nil)
      drawing.scaleBy(x: 1, y: 0.5)
      drawing.drawRadialGradient(
        gradient, startCenter: CGPoint(x: 90, y: 290), startRadius: 10, endCenter: CGPoint(x: 100, y: 300), endRadius: 80, options: [])
      drawing.clear(CGRect(x: 80, y: 280, width: 30, height: 30))
      drawing.endTransparencyLayer()
      drawing.drawRadialGradient(
        gradient, startCenter: CGPoint(x: 150, y: 150), startRadius: 40, endCenter: CGPoint(x: 150, y: 150), endRadius: 5,
        options: .drawsAfterEndLocation)
      SamplePaths[7].fill(with: .destinationOver, alpha: 1)
      SamplePaths[6].stroke(with: .destinationOut, alpha: 0.5)
    }
    #expect(difference < 0.01)
  }

  /// What is in a layer is blended with the layer's own content alone, and a clip that is set in it ends with it.
  @Test func layersLookAlike() throws {
    let difference = try difference { context in
      UIColor.yellow.setFill()
      context.fill(CGRect(x: 0, y: 0, width: 200, height: 200))
      context.cgContext.beginTransparencyLayer(auxiliaryInfo: nil)
      UIColor.red.setFill()
      context.fill(CGRect(x: 20, y: 20, width: 80, height: 160))
      UIColor.cyan.setFill()
      context.fill(CGRect(x: 60, y: 60, width: 120, height: 40), blendMode: .multiply)
      context.clip(to: CGRect(x: 0, y: 0, width: 200, height: 60))
      context.fill(CGRect(x: 20, y: 40, width: 160, height: 160))
      context.cgContext.endTransparencyLayer()
    }
    #expect(difference < 0.01)
  }

  @Test func imagesLookAlike() throws {
    let picture = UIGraphicsImageRenderer(size: CGSize(width: 40, height: 30)).image { _ in
      UIColor.green.setFill()
      UIBezierPath(ovalIn: CGRect(x: 0, y: 0, width: 40, height: 30)).fill()
    }
    let difference = try difference { context in
      picture.draw(at: CGPoint(x: 10, y: 10))
      picture.draw(at: CGPoint(x: 100, y: 10), blendMode: .normal, alpha: 0.4)
      context.cgContext.rotate(by: 0.2)
      picture.draw(in: CGRect(x: 80, y: 80, width: 80, height: 60))
    }
    #expect(difference < 0.01)
  }

  @Test func textLiesInTheSamePlace() throws {
    let difference = try difference { _ in
      "Drawing".draw(at: CGPoint(x: 10, y: 30), withAttributes: [.font: UIFont.boldSystemFont(ofSize: 30)])
    }
    // The viewer may choose other glyphs; where the words are is the same.
    #expect(difference < 0.03)
  }
}
