import CLoadingCairo
import Foundation

/// The pixels of an image, row after row from the top.
struct Bitmap: Hashable, Sendable {
  let width: Int
  let height: Int
  /// One pixel per element, as cairo's ARGB32: alpha in the highest byte, then red, green, blue. The colors are premultiplied by the alpha.
  private(set) var pixels: [UInt32]

  /// The largest width or height in pixels; cairo can't have larger surfaces.
  static let longestSide = 32767
  /// The largest number of pixels (`width * height`) of an image, which is 400 MB of memory.
  static let mostPixels = 100_000_000

  static func canHave(width: Int, height: Int) -> Bool {
    (1...longestSide).contains(width) && (1...longestSide).contains(height) && width * height <= mostPixels
  }

  /// Copies the pixels of a cairo image surface. Nil if the surface has an error, has no pixels of 32 bits in memory, or is too large.
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

  /// The part of the image inside of the columns `x` and the rows `y`; nil if no pixel of it lies inside of the image.
  func cropped(x: Range<Int>, y: Range<Int>) -> Bitmap? {
    let (x, y) = (x.clamped(to: 0..<width), y.clamped(to: 0..<height))
    guard !x.isEmpty, !y.isEmpty else { return nil }
    let rows = y.flatMap { pixels[$0 * width + x.lowerBound..<$0 * width + x.upperBound] }
    return Bitmap(width: x.count, height: y.count, pixels: rows)
  }

  /// The components of the pixel at column `x` and row `y`, from 0 to 255 and not premultiplied by the alpha; nil outside of the image.
  func components(x: Int, y: Int) -> (red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat)? {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
    let pixel = pixels[y * width + x]
    let alpha = CGFloat(pixel >> 24)
    func component(_ shift: UInt32) -> CGFloat { alpha == 0 ? 0 : min(255, CGFloat((pixel >> shift) & 0xff) * 255 / alpha) }
    return (component(16), component(8), component(0), alpha)
  }

  /// Calls `body` with a cairo surface that reads these pixels and is valid only during the call. Returns nil without a call if cairo is missing or
  /// can't make the surface.
  func withSurface<Result>(_ body: (OpaquePointer) -> Result?) -> Result? {
    guard HeadlessBitmaps.isAvailable else { return nil }
    return pixels.withUnsafeBytes { bytes in
      // `cairo_image_surface_create_for_data` takes a mutable pointer, but the callers only read from the surface, so cairo doesn't write to the
      // pixels.
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
