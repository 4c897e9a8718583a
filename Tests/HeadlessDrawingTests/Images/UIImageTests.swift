import Foundation
import Testing

@testable import HeadlessDrawing

@Suite(.enabled(if: HeadlessBitmaps.isAvailable, "cairo isn't there"))
struct UIImageTests {
  /// Red above blue, 4 × 2 pixels.
  private let picture = UIImage.drawn(4, 2) { context in
    context.setFillColor(UIColor.red.cgColor)
    context.fill(CGRect(x: 0, y: 0, width: 4, height: 1))
    context.setFillColor(UIColor.blue.cgColor)
    context.fill(CGRect(x: 0, y: 1, width: 4, height: 1))
  }

  @Test func pngComesBack() throws {
    let png = try #require(picture.pngData())
    let image = try #require(UIImage(data: png, scale: 2))
    #expect(image.size == CGSize(width: 2, height: 1) && image.scale == 2)
    #expect(image.cgImage == picture.cgImage)
    #expect(UIImage(data: png) == picture)
    #expect(UIImagePNGRepresentation(picture) == png)
  }

  @Test func damagedDataIsRefused() throws {
    let png = try #require(picture.pngData())
    #expect(UIImage(data: Data()) == nil)
    #expect(UIImage(data: Data("GIF89a".utf8)) == nil)
    for length in 0..<png.count - 12 { #expect(UIImage(data: png.prefix(length)) == nil) }
    for index in 8..<png.count {
      var damaged = png
      damaged[index] ^= 0x40
      _ = UIImage(data: damaged)
    }
  }

  @Test func largeSizesAreRefusedUnread() throws {
    var png = try #require(picture.pngData())
    png.replaceSubrange(16..<24, with: [0, 0, 0x7f, 0, 0, 0, 0x7f, 0])
    #expect(UIImage(data: png) == nil)
    png.replaceSubrange(16..<24, with: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
    #expect(UIImage(data: png) == nil)
  }

  @Test func fileNameTellsTheScale() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("HeadlessDrawing-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("picture@2x.png")
    try #require(picture.pngData()).write(to: file)
    #expect(UIImage(contentsOfFile: file.path)?.size == CGSize(width: 2, height: 1))
    #expect(UIImage(contentsOfFile: folder.appendingPathComponent("none.png").path) == nil)
  }

  @Test func imageIsDrawnUpright() {
    let image = UIImage.drawn(10, 10) { _ in
      picture.draw(at: CGPoint(x: 1, y: 1))
      picture.draw(in: CGRect(x: 0, y: 4, width: 8, height: 4))
    }
    #expect(image.pixel(1, 1) == Pixel.red && image.pixel(4, 2) == Pixel.blue && image.pixel(0, 1) == Pixel.none)
    #expect(image.pixel(4, 4) == Pixel.red && image.pixel(4, 7) == Pixel.blue && image.pixel(4, 8) == Pixel.none)
  }

  @Test func coreGraphicsDrawsItUpsideDown() throws {
    let source = try #require(picture.cgImage)
    let image = UIImage.drawn(4, 4) { $0.draw(source, in: CGRect(x: 0, y: 1, width: 4, height: 2)) }
    #expect(image.pixel(2, 1) == Pixel.blue && image.pixel(2, 2) == Pixel.red && image.pixel(2, 3) == Pixel.none)
  }

  @Test func patternCoversItsRectangleOnly() {
    let image = UIImage.drawn(10, 10) { _ in picture.drawAsPattern(in: CGRect(x: 0, y: 0, width: 6, height: 5)) }
    #expect(image.pixel(5, 0) == Pixel.red && image.pixel(5, 3) == Pixel.blue && image.pixel(5, 4) == Pixel.red)
    #expect(image.pixel(6, 0) == Pixel.none && image.pixel(0, 5) == Pixel.none)
  }

  @Test func tilesCoverTheClip() throws {
    let source = try #require(picture.cgImage)
    let image = UIImage.drawn(10, 10) { $0.draw(source, in: CGRect(x: 3, y: 4, width: 4, height: 2), byTiling: true) }
    for x in 0..<10 { #expect(image.pixel(x, 0)[3] == 255 && image.pixel(x, 9)[3] == 255) }
  }

  @Test func croppingTakesAPart() throws {
    let part = try #require(picture.cgImage?.cropping(to: CGRect(x: 1, y: 1, width: 100, height: 100)))
    #expect(part.width == 3 && part.height == 1)
    #expect(UIImage(cgImage: part).pixel(0, 0) == Pixel.blue)
    #expect(picture.cgImage?.cropping(to: CGRect(x: 50, y: 0, width: 1, height: 1)) == nil)
    #expect(picture.cgImage?.cropping(to: .null) == nil)
    #expect(picture.cgImage?.cropping(to: .infinite)?.width == 4)
  }

  @Test func rectanglesThatAreNoNumbersCropNothing() {
    for number in [CGFloat.nan, -CGFloat.infinity] {
      #expect(picture.cgImage?.cropping(to: CGRect(x: number, y: 0, width: 1, height: 1)) == nil)
      #expect(picture.cgImage?.cropping(to: CGRect(x: number, y: 0, width: CGFloat.infinity, height: 1)) == nil)
      #expect(picture.cgImage?.cropping(to: CGRect(x: 0, y: number, width: 1, height: 1)) == nil)
    }
    #expect(picture.cgImage?.cropping(to: CGRect(x: 0, y: 0, width: CGFloat.nan, height: 1)) == nil)
    #expect(picture.cgImage?.cropping(to: CGRect(x: 1, y: 0, width: CGFloat.infinity, height: 1))?.width == 3)
  }

  @Test func emptyImageHasNothing() {
    let image = UIImage()
    #expect(image.size == .zero && image.pngData() == nil && image.cgImage == nil)
    #expect(UIImage.drawn(2, 2) { _ in image.draw(at: .zero) }.pixel(0, 0) == Pixel.none)
  }

  @Test func colorOfAPixelIsRead() {
    #expect(picture.colorOfPixel(x: 0, y: 1) == .blue)
    #expect(picture.colorOfPixel(x: 0, y: 2) == nil)
    #expect(picture.colorOfPixel(x: -1, y: 0) == nil)
  }

  @Test func fractionsOfPixelsAreRoundedUp() {
    #expect(UIImage.drawn(10.2, 3) { _ in }.size == CGSize(width: 11, height: 3))
    let format = UIGraphicsImageRendererFormat()
    format.scale = 3
    #expect(UIGraphicsImageRenderer(size: CGSize(width: 1.0 / 3, height: 1), format: format).image { _ in }.cgImage?.width == 1)
  }
}
