import CLoadingCairo
import Foundation

/// A drawing surface that renders into a bitmap in memory, with the library cairo.
final class CairoSurface: DrawingSurface {
  private let surface: OpaquePointer
  private let context: OpaquePointer
  /// The alpha and blend mode of each transparency layer between its `beginLayer` and its `endLayer`, which draws the layer with them.
  private var layers: [(alpha: CGFloat, blendMode: CGBlendMode)] = []

  /// A bitmap of `width` × `height` pixels, black if `isOpaque`, otherwise transparent. Nil if cairo is missing, the size is too large or memory is
  /// short; a line on standard error then says why.
  static func make(width: Int, height: Int, isOpaque: Bool) -> CairoSurface? {
    guard HeadlessBitmaps.isAvailableOrReported() else { return nil }
    guard Bitmap.canHave(width: width, height: height) else {
      HeadlessBitmaps.report(
        "no image of \(width) × \(height) pixels can be drawn; a side may have \(Bitmap.longestSide), and all \(Bitmap.mostPixels)")
      return nil
    }
    guard let surface = loading_cairo_image_surface_create(Int32(loading_cairo_format_argb32), Int32(width), Int32(height)) else {
      return nil
    }
    guard loading_cairo_surface_status(surface) == 0, let context = loading_cairo_create(surface) else {
      loading_cairo_surface_destroy(surface)
      HeadlessBitmaps.report("there is no memory for an image of \(width) × \(height) pixels")
      return nil
    }
    return CairoSurface(surface: surface, context: context, isOpaque: isOpaque)
  }

  private init(surface: OpaquePointer, context: OpaquePointer, isOpaque: Bool) {
    self.surface = surface
    self.context = context
    if isOpaque {
      loading_cairo_set_source_rgba(context, 0, 0, 0, 1)
      loading_cairo_paint(context)
    }
  }

  deinit {
    loading_cairo_destroy(context)
    loading_cairo_surface_destroy(surface)
  }

  func save() { loading_cairo_save(context) }

  func restore() { loading_cairo_restore(context) }

  func clip(_ path: PathData, rule: CGPathFillRule) {
    addPath(path, rule: rule)
    loading_cairo_clip(context)
  }

  func fill(_ path: PathData, rule: CGPathFillRule, paint: Paint) {
    withState(paint.blendMode) {
      set(paint)
      addPath(path, rule: rule)
      if paint.blendMode.reachesOutside {
        loading_cairo_clip(context)
        loading_cairo_paint(context)
      } else {
        loading_cairo_fill(context)
      }
    }
  }

  func stroke(_ path: PathData, style: StrokeStyle, transform: CGAffineTransform, paint: Paint) {
    guard let width = style.drawableWidth, transform.isModerate else { return }
    if paint.blendMode.reachesOutside {
      return fill(path.stroked(by: style).applying(transform), rule: .winding, paint: paint)
    }
    withState(paint.blendMode) {
      set(paint)
      addPath(path.applying(transform), rule: .winding)
      // The path is already in the surface's coordinates. The pen is a circle in the user's coordinates, so cairo gets the user's matrix for the pen.
      var matrix = transform.matrix
      matrix.tx = 0
      matrix.ty = 0
      loading_cairo_set_matrix(context, &matrix)
      loading_cairo_set_line_width(context, min(width, CairoValue.mostPixels / transform.largestScale))
      loading_cairo_set_line_cap(context, style.cap.rawValue)
      loading_cairo_set_line_join(context, style.join.rawValue)
      loading_cairo_set_miter_limit(context, style.drawableMiterLimit)
      let box = path.bounds
      if let dashes = style.dashes(forExtent: max(box.width, box.height))?.map({ Double($0) }) {
        loading_cairo_set_dash(context, dashes, Int32(clamping: dashes.count), style.dashPhase)
      }
      loading_cairo_stroke(context)
    }
  }

  func draw(_ image: PlacedImage) {
    image.image.bitmap.withSurface { source -> Void? in
      guard let pattern = loading_cairo_pattern_create_for_surface(source) else { return nil }
      defer { loading_cairo_pattern_destroy(pattern) }
      let (width, height) = (CGFloat(image.image.width), CGFloat(image.image.height))
      let toRect = CGAffineTransform(
        a: image.rect.width / width, b: 0, c: 0, d: image.rect.height / height, tx: image.rect.minX, ty: image.rect.minY)
      let transform = toRect.concatenating(image.transform)
      guard transform.isModerate else { return nil }
      withState(image.blendMode) {
        // Repeats the image's outermost pixels beyond its edges: scaling would otherwise blend the edges with the transparency outside.
        loading_cairo_pattern_set_extend(pattern, CairoValue.extendPad)
        addPath(CGPath(rect: CGRect(x: 0, y: 0, width: width, height: height), transform: nil).data.applying(transform), rule: .winding)
        loading_cairo_clip(context)
        setMatrix(transform)
        loading_cairo_set_source(context, pattern)
        loading_cairo_paint_with_alpha(context, image.alpha)
      }
      return ()
    }
  }

  func draw(_ text: PlacedText) {
    let pixels = text.face.drawableSize * text.transform.largestScale
    guard text.transform.isModerate, pixels > CairoValue.smallestFont, pixels < CairoValue.largestFont else { return }
    withState(text.paint.blendMode.reachesOutside ? .normal : text.paint.blendMode) {
      set(text.paint)
      setMatrix(text.transform)
      text.face.select(in: context)
      for line in text.lines where line.origin.applying(text.transform).isVisible {
        loading_cairo_move_to(context, line.origin.x, line.origin.y)
        loading_cairo_show_text(context, line.text.withoutNulls)
      }
    }
  }

  func draw(_ gradient: PlacedGradient) {
    guard gradient.transform.isModerate, gradient.shape.isModerate else { return }
    let created =
      switch gradient.shape {
      case .linear(let from, let to): loading_cairo_pattern_create_linear(from.x, from.y, to.x, to.y)
      case .radial(let from, let fromRadius, let to, let toRadius):
        loading_cairo_pattern_create_radial(from.x, from.y, fromRadius, to.x, to.y, toRadius)
      }
    guard let pattern = created else { return }
    defer { loading_cairo_pattern_destroy(pattern) }
    for stop in gradient.stops {
      let color = stop.color
      loading_cairo_pattern_add_color_stop_rgba(pattern, stop.location, color.red, color.green, color.blue, color.alpha)
    }
    loading_cairo_pattern_set_extend(pattern, CairoValue.extendPad)
    withState(gradient.blendMode) {
      setMatrix(gradient.transform)
      loading_cairo_set_source(context, pattern)
      loading_cairo_paint(context)
    }
  }

  func beginLayer(alpha: CGFloat, blendMode: CGBlendMode) {
    layers.append((alpha, blendMode))
    loading_cairo_push_group(context)
  }

  func endLayer() {
    guard let layer = layers.popLast() else { return }
    loading_cairo_pop_group_to_source(context)
    withState(layer.blendMode) { loading_cairo_paint_with_alpha(context, layer.alpha) }
  }

  func makeImage() -> CGImage? {
    // A cairo context keeps its first error and ignores all drawing after it, so the image may lack some of what was drawn.
    let status = loading_cairo_status(context)
    if status != 0, let message = loading_cairo_status_to_string(status) {
      HeadlessBitmaps.report("an image lacks some of what was drawn: \(String(cString: message))")
    }
    return Bitmap(surface: surface).map(CGImage.init)
  }
}

extension CairoSurface {
  /// Sets cairo's operator for `blendMode`, calls `body`, and restores the cairo state from before.
  private func withState(_ blendMode: CGBlendMode, _ body: () -> Void) {
    loading_cairo_save(context)
    loading_cairo_set_operator(context, blendMode.cairoOperator)
    body()
    loading_cairo_restore(context)
  }

  private func set(_ paint: Paint) {
    // `CAIRO_OPERATOR_CLEAR` draws some strokes instead of clearing them. `DEST_OUT` with an opaque source clears the same area reliably.
    if paint.blendMode == .clear { loading_cairo_set_operator(context, CairoValue.operatorDestinationOut) }
    let alpha = paint.blendMode == .clear ? 1 : paint.color.alpha
    loading_cairo_set_source_rgba(context, paint.color.red, paint.color.green, paint.color.blue, alpha)
    loading_cairo_set_antialias(context, paint.antialiases ? CairoValue.antialiasDefault : CairoValue.antialiasNone)
  }

  private func setMatrix(_ transform: CGAffineTransform) {
    var matrix = transform.matrix
    loading_cairo_set_matrix(context, &matrix)
  }

  /// Replaces cairo's current path by `path`, whose points are in the surface's coordinates, and sets the fill rule.
  private func addPath(_ path: PathData, rule: CGPathFillRule) {
    loading_cairo_set_fill_rule(context, rule == .evenOdd ? CairoValue.fillRuleEvenOdd : CairoValue.fillRuleWinding)
    loading_cairo_new_path(context)
    var begin = CGPoint.zero
    for subpath in path.subpaths {
      begin = subpath.start.limited
      loading_cairo_move_to(context, begin.x, begin.y)
      for segment in subpath.segments {
        let points = segment.points.map(\.limited)
        switch segment {
        case .move, .close: break
        case .line: loading_cairo_line_to(context, points[0].x, points[0].y)
        case .quad:
          // Cairo has only cubic curves: the cubic curve of the same shape has each control point two thirds of the way from an end to the quadratic
          // curve's control point.
          let (control, end) = (points[0], points[1])
          loading_cairo_curve_to(
            context, begin.x + (control.x - begin.x) * 2 / 3, begin.y + (control.y - begin.y) * 2 / 3,
            end.x + (control.x - end.x) * 2 / 3, end.y + (control.y - end.y) * 2 / 3, end.x, end.y)
        case .curve:
          loading_cairo_curve_to(context, points[0].x, points[0].y, points[1].x, points[1].y, points[2].x, points[2].y)
        }
        begin = points[points.count - 1]
      }
      if subpath.isClosed { loading_cairo_close_path(context) }
    }
  }
}
