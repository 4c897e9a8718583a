import CLoadingCairo
import Foundation

/// The font that text is drawn with: family, style and size.
struct FontFace: Hashable, Sendable {
  /// The name of a family that fontconfig knows, or a generic family of CSS such as `sans-serif`.
  var family: String
  var isBold = false
  var isItalic = false
  /// The size of the font, in points.
  var size: CGFloat

  /// The font's size in points, or 0 if it is negative or over 10,000, which can't be drawn.
  var drawableSize: CGFloat { size > 0 && size <= 10_000 ? size : 0 }
}

/// A font's vertical measures, in points; all are positive.
struct FontMetrics: Hashable, Sendable {
  var ascent: CGFloat
  var descent: CGFloat
  var lineHeight: CGFloat
}

extension FontFace {
  /// Selects this font in a cairo context, for measuring or drawing text.
  func select(in context: OpaquePointer) {
    loading_cairo_use_unhinted_text(context)
    loading_cairo_select_font_face(context, family, isItalic ? 1 : 0, isBold ? 1 : 0)
    loading_cairo_set_font_size(context, max(drawableSize, 1e-3))
  }

  /// The font's vertical measures from cairo; an estimate from the font size if cairo is missing.
  var metrics: FontMetrics {
    let size = drawableSize
    guard size > 0 else { return FontMetrics(ascent: 0, descent: 0, lineHeight: 0) }
    let measured = Self.withContext { context -> FontMetrics? in
      select(in: context)
      var extents = loading_cairo_font_extents_t()
      loading_cairo_font_extents(context, &extents)
      guard extents.ascent.isFinite, extents.ascent > 0, extents.height > 0 else { return nil }
      return FontMetrics(
        ascent: extents.ascent, descent: extents.descent, lineHeight: max(extents.height, extents.ascent + extents.descent))
    }
    return measured ?? FontMetrics(ascent: size * 0.93, descent: size * 0.24, lineHeight: size * 1.17)
  }

  /// The width of a line of text, in points, as the distance by which the pen moves; an estimate if cairo is missing.
  func advance(of line: String) -> CGFloat {
    guard drawableSize > 0, !line.isEmpty else { return 0 }
    let measured = Self.withContext { context -> CGFloat? in
      select(in: context)
      var extents = loading_cairo_text_extents_t()
      loading_cairo_text_extents(context, line.withoutNulls, &extents)
      return extents.x_advance.isFinite ? extents.x_advance : nil
    }
    return measured ?? drawableSize * 0.6 * CGFloat(line.count)
  }

  /// Calls `body` with a cairo context of one pixel for measuring text; returns nil without a call if cairo is missing.
  private static func withContext<Result>(_ body: (OpaquePointer) -> Result?) -> Result? {
    guard HeadlessBitmaps.isAvailable,
      let surface = loading_cairo_image_surface_create(Int32(loading_cairo_format_argb32), 1, 1)
    else { return nil }
    defer { loading_cairo_surface_destroy(surface) }
    guard let context = loading_cairo_create(surface) else { return nil }
    defer { loading_cairo_destroy(context) }
    return body(context)
  }
}

extension String {
  /// The text without null characters, at which a C function would take the string to end.
  var withoutNulls: String { contains("\0") ? filter { $0 != "\0" } : self }
}
