import CLoadingCairo
import Foundation
import Testing

@testable import HeadlessDrawing

struct HeadlessBitmapsTests {
  @Test func missingLibraryIsNamed() throws {
    let message = String(cString: try #require(loading_cairo_try("libcairo-that-is-not-there.so")))
    #expect(message.contains("libcairo-that-is-not-there.so can't be loaded"))
    #expect(message.contains("libcairo2"))
  }

  @Test func libraryWithoutTheFunctionsIsRefused() throws {
    let message = String(cString: try #require(loading_cairo_try("libm.so.6")))
    #expect(message.contains("lacks the function cairo_"))
  }

  @Test func withoutCairoImagesAreEmptyAndSVGIsThere() {
    HeadlessBitmaps.$missing.withValue("a test does without it") {
      #expect(!HeadlessBitmaps.isAvailable)
      #expect(HeadlessBitmaps.reasonIfUnavailable == "a test does without it")
      let renderer = UIGraphicsImageRenderer(size: CGSize(width: 10, height: 10))
      var calls = 0
      let image = renderer.image { context in
        calls += 1
        UIBezierPath(rect: CGRect(x: 0, y: 0, width: 5, height: 5)).fill()
        context.cgContext.beginTransparencyLayer(auxiliaryInfo: nil)
        "text".draw(at: .zero)
        #expect(context.currentImage.cgImage == nil)
      }
      #expect(calls == 1)
      #expect(image.size == .zero && image.pngData() == nil)
      #expect(renderer.pngData { _ in }.isEmpty)
      #expect(UIImage(data: Data([0x89, 0x50, 0x4e, 0x47])) == nil)
      let svg = String(decoding: renderer.svgData { _ in "text".draw(at: .zero) }, as: UTF8.self)
      #expect(svg.contains(">text</text>"))
      #expect("text".size(withAttributes: nil).width > 10)
    }
  }
}
