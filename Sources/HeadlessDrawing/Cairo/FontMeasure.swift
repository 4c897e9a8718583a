import CLoadingCairo
import Foundation

/// Which glyphs text is drawn with.
struct FontFace: Hashable, Sendable {
  /// A family that fontconfig knows, or a generic one of CSS.
  var family: String
  var isBold = false
  var isItalic = false
  /// In points.
  var size: CGFloat

  /// The size, or 0 if it can't be drawn.
  var drawableSize: CGFloat { size > 0 && size <= 10_000 ? size : 0 }
}

/// What a font's lines are built of, in points and positive.
struct FontMetrics: Hashable, Sendable {
  var ascent: CGFloat
  var descent: CGFloat
  var lineHeight: CGFloat
}

extension FontFace {
  /// Chooses the font for a context of cairo.
  func select(in context: OpaquePointer) {
    loading_cairo_use_unhinted_text(context)
    loading_cairo_select_font_face(context, family, isItalic ? 1 : 0, isBold ? 1 : 0)
    loading_cairo_set_font_size(context, max(drawableSize, 1e-3))
  }

  /// The font's metrics, estimated where cairo isn't there.
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

  /// How far a line of text moves the pen, estimated where cairo isn't there.
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

  /// Calls the body with a context that nothing is drawn on; nil without calling it if cairo isn't there.
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
  /// The text for a function of C, which would end at a null character.
  var withoutNulls: String { contains("\0") ? filter { $0 != "\0" } : self }
}
