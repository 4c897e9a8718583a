import CLoadingCairo
import Foundation

extension Bitmap {
  /// The bitmap encoded as PNG; nil if the library cairo is missing.
  var png: Data? {
    withSurface { surface in
      var output = Data()
      let status = withUnsafeMutablePointer(to: &output) { output in
        loading_cairo_surface_write_to_png_stream(
          surface,
          { closure, bytes, length in
            guard let closure, let bytes else { return Int32(loading_cairo_status_write_error) }
            closure.assumingMemoryBound(to: Data.self).pointee.append(bytes, count: Int(length))
            return 0
          }, output)
      }
      return status == 0 ? output : nil
    }
  }

  /// Decodes a PNG. Nil if the data isn't a PNG, is damaged, has too many pixels (`canHave(width:height:)`), or the library cairo is missing.
  init?(png: Data) {
    guard Self.hasReadableSize(png: png), HeadlessBitmaps.isAvailableOrReported() else { return nil }
    var input = Input(bytes: png)
    let created = withUnsafeMutablePointer(to: &input) { input in
      loading_cairo_image_surface_create_from_png_stream(
        { closure, bytes, length in
          guard let closure, let bytes, closure.assumingMemoryBound(to: Input.self).pointee.read(bytes, Int(length)) else {
            return Int32(loading_cairo_status_read_error)
          }
          return 0
        }, input)
    }
    guard let decoded = created else { return nil }
    defer { loading_cairo_surface_destroy(decoded) }
    guard loading_cairo_surface_status(decoded) == 0 else { return nil }
    // Cairo decodes a PNG without alpha into another pixel format, so the decoded surface is painted onto one in ARGB32, the format of `Bitmap`.
    let (width, height) = (loading_cairo_image_surface_get_width(decoded), loading_cairo_image_surface_get_height(decoded))
    guard let surface = loading_cairo_image_surface_create(Int32(loading_cairo_format_argb32), width, height) else { return nil }
    defer { loading_cairo_surface_destroy(surface) }
    guard let context = loading_cairo_create(surface) else { return nil }
    defer { loading_cairo_destroy(context) }
    guard let pattern = loading_cairo_pattern_create_for_surface(decoded) else { return nil }
    loading_cairo_set_source(context, pattern)
    loading_cairo_paint(context)
    loading_cairo_pattern_destroy(pattern)
    self.init(surface: surface)
  }

  private struct Input {
    var bytes: Data

    mutating func read(_ target: UnsafeMutablePointer<UInt8>, _ count: Int) -> Bool {
      guard count <= bytes.count else { return false }
      bytes.copyBytes(to: target, count: count)
      bytes = bytes.dropFirst(count)
      return true
    }
  }

  /// Whether the data begins with a PNG signature and an IHDR chunk (PNG section 5) whose width and height `Bitmap` can hold.
  private static func hasReadableSize(png: Data) -> Bool {
    let head = [UInt8](png.prefix(24))
    guard head.count == 24, head.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else { return false }
    func number(_ offset: Int) -> Int { head[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    return canHave(width: number(16), height: number(20))
  }
}
