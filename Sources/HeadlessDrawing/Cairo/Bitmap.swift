import CLoadingCairo
import Foundation

/// The pixels of an image, row after row from the top.
struct Bitmap: Hashable, Sendable {
  let width: Int
  let height: Int
  /// 32 bits a pixel, from the highest: alpha, red, green, blue; the alpha is multiplied into the others.
  private(set) var pixels: [UInt32]

  /// A side has at most this many pixels, which is cairo's limit.
  static let longestSide = 32767
  /// An image has at most this many pixels: 400 MB.
  static let mostPixels = 100_000_000

  static func canHave(width: Int, height: Int) -> Bool {
    (1...longestSide).contains(width) && (1...longestSide).contains(height) && width * height <= mostPixels
  }

  /// Copies what was drawn on a surface of cairo. Nil if the surface isn't one of 32 bits a pixel in memory.
  init?(surface: OpaquePointer) {
    loading_cairo_surface_flush(surface)
    let (width, height) = (
      Int(loading_cairo_image_surface_get_width(surface)), Int(loading_cairo_image_surface_get_height(surface))
    )
    let stride = Int(loading_cairo_image_surface_get_stride(surface))
    guard loading_cairo_surface_status(surface) == 0, Self.canHave(width: width, height: height), stride >= width * 4,
      let data = loading_cairo_image_surface_get_data(surface)
    else { return nil }
    self.width = width
    self.height = height
    pixels = Array(unsafeUninitializedCapacity: width * height) { buffer, count in
      for row in 0..<height {
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[row * width * 4..<(row + 1) * width * 4])
          .copyMemory(from: UnsafeRawBufferPointer(start: data + row * stride, count: width * 4))
      }
      count = width * height
    }
  }

  private init(width: Int, height: Int, pixels: [UInt32]) {
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// A part of the image, or nil if it lies outside.
  func cropped(x: Range<Int>, y: Range<Int>) -> Bitmap? {
    let (x, y) = (x.clamped(to: 0..<width), y.clamped(to: 0..<height))
    guard !x.isEmpty, !y.isEmpty else { return nil }
    let rows = y.flatMap { pixels[$0 * width + x.lowerBound..<$0 * width + x.upperBound] }
    return Bitmap(width: x.count, height: y.count, pixels: rows)
  }

  /// The components of a pixel from 0 to 255, the alpha not multiplied in, or nil outside of the image.
  func components(x: Int, y: Int) -> (red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat)? {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
    let pixel = pixels[y * width + x]
    let alpha = CGFloat(pixel >> 24)
    func component(_ shift: UInt32) -> CGFloat { alpha == 0 ? 0 : min(255, CGFloat((pixel >> shift) & 0xff) * 255 / alpha) }
    return (component(16), component(8), component(0), alpha)
  }

  /// Calls the body with a surface of cairo over the pixels, valid during the call; returns nil without calling it if there is none.
  func withSurface<Result>(_ body: (OpaquePointer) -> Result?) -> Result? {
    guard HeadlessBitmaps.isAvailable else { return nil }
    return pixels.withUnsafeBytes { bytes in
      // Cairo takes a mutable pointer; a surface that is only read from doesn't write to it.
      let data = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
      guard
        let surface = loading_cairo_image_surface_create_for_data(
          data, Int32(loading_cairo_format_argb32), Int32(width), Int32(height), Int32(width * 4))
      else { return nil }
      defer { loading_cairo_surface_destroy(surface) }
      return loading_cairo_surface_status(surface) == 0 ? body(surface) : nil
    }
  }
}
