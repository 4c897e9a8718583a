import Foundation

/// A drawing surface that records drawing as an SVG document.
///
/// Fills and clips are written in the document's coordinates. Lines whose pen isn't a circle there, images, text and gradients are written with a
/// `transform`. Of the blend modes that CSS doesn't have, `clear`, `copy`, `destinationIn` and `destinationOut` become masks over the elements below,
/// and an element with `destinationOver` is put below the others; the rest are recorded as `normal`.
final class SVGSurface: DrawingSurface {
  private let size: CGSize
  /// The document's `<defs>` so far: clip paths, gradients and masks.
  private var definitions = ""
  /// The number of definitions so far; the identifiers are `d1`, `d2` and so on.
  private var count = 0
  /// The open layers with their elements; the first one is the document itself.
  private var layers: [SVGLayer] = [SVGLayer()]
  /// The identifier of the current clip's `clipPath`; nil if drawing isn't clipped.
  private var clip: String?
  private var savedClips: [String?] = []

  init(size: CGSize) { self.size = size }

  /// The SVG document as UTF-8. Layers that haven't been ended are left out.
  var document: Data {
    let (width, height) = (max(0, size.width).svg, max(0, size.height).svg)
    var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\">\n"
    if !definitions.isEmpty { text += "<defs>\n\(definitions)</defs>\n" }
    text += layers[0].markup + "</svg>\n"
    return Data(text.utf8)
  }

  func save() { savedClips.append(clip) }

  func restore() { if let saved = savedClips.popLast() { clip = saved } }

  func clip(_ path: PathData, rule: CGPathFillRule) {
    let outer = clip.map { " clip-path=\"url(#\($0))\"" } ?? ""
    let shape = "<path d=\"\(path.svg)\"\(rule == .evenOdd ? " clip-rule=\"evenodd\"" : "")/>"
    clip = define { "<clipPath id=\"\($0)\"\(outer)>\(shape)</clipPath>" }
  }

  func fill(_ path: PathData, rule: CGPathFillRule, paint: Paint) {
    let shape = "<path d=\"\(path.svg)\"\(rule == .evenOdd ? " fill-rule=\"evenodd\"" : "")\(paint.svgRendering)"
    draw(blendMode: paint.blendMode, alpha: paint.color.alpha) { mask in "\(shape)\((mask ?? paint.color).svg("fill"))/>" }
  }

  func stroke(_ path: PathData, style: StrokeStyle, transform: CGAffineTransform, paint: Paint) {
    guard style.drawableWidth != nil else { return }
    let box = path.bounds
    let extent = max(box.width, box.height)
    var shape = "<path d=\""
    if let scale = transform.uniformScale {
      shape += "\(path.applying(transform).svg)\"\(style.svg(scale: scale, extent: extent))"
    } else {
      shape += "\(path.svg)\"\(transform.svg())\(style.svg(scale: 1, extent: extent))"
    }
    draw(blendMode: paint.blendMode, alpha: paint.color.alpha) { mask in
      "\(shape) fill=\"none\"\(paint.svgRendering)\((mask ?? paint.color).svg("stroke"))/>"
    }
  }

  func draw(_ image: PlacedImage) {
    guard let png = image.image.bitmap.png else { return }
    let rect = image.rect
    let shape = """
      <image x="\(rect.minX.svg)" y="\(rect.minY.svg)" width="\(rect.width.svg)" height="\(rect.height.svg)" preserveAspectRatio="none"\
      \(image.transform.svg())\(image.alpha < 1 ? " opacity=\"\(image.alpha.svg)\"" : "") \
      href="data:image/png;base64,\(png.base64EncodedString())"/>
      """
    add(shape, blendMode: image.blendMode)
  }

  func draw(_ text: PlacedText) {
    let face = text.face
    let style = (face.isBold ? " font-weight=\"bold\"" : "") + (face.isItalic ? " font-style=\"italic\"" : "")
    let font = "font-family=\"\(face.family.svgEscaped)\" font-size=\"\(face.drawableSize.svg)\"\(style)"
    draw(blendMode: text.paint.blendMode, alpha: text.paint.color.alpha) { mask in
      text.lines.map { line in
        """
        <text x="\(line.origin.x.svg)" y="\(line.origin.y.svg)"\(text.transform.svg()) xml:space="preserve" \
        \(font)\((mask ?? text.paint.color).svg("fill"))>\(line.text.svgEscaped)</text>
        """
      }.joined(separator: "\n")
    }
  }

  func draw(_ gradient: PlacedGradient) {
    let stops = gradient.stops.map { "<stop offset=\"\($0.location.svg)\"\($0.color.svg("stop"))/>" }
    let common = "gradientUnits=\"userSpaceOnUse\"\(gradient.transform.svg("gradientTransform"))"
    let identifier = define { identifier in
      switch gradient.shape {
      case .linear(let from, let to):
        let line = "x1=\"\(from.x.svg)\" y1=\"\(from.y.svg)\" x2=\"\(to.x.svg)\" y2=\"\(to.y.svg)\""
        return "<linearGradient id=\"\(identifier)\" \(common) \(line)>\(stops.joined())</linearGradient>"
      case .radial(let from, let fromRadius, let to, let toRadius):
        // In SVG, `fx`, `fy` and `fr` describe the inner circle. If the gradient starts at the larger circle, the circles are swapped and the stops
        // reversed.
        let (inner, outer) = fromRadius <= toRadius ? ((from, fromRadius), (to, toRadius)) : ((to, toRadius), (from, fromRadius))
        let ordered = fromRadius <= toRadius ? stops : reversedStops(gradient.stops)
        let circles = """
          cx="\(outer.0.x.svg)" cy="\(outer.0.y.svg)" r="\(outer.1.svg)" fx="\(inner.0.x.svg)" fy="\(inner.0.y.svg)" fr="\(inner.1.svg)"
          """
        return "<radialGradient id=\"\(identifier)\" \(common) \(circles)>\(ordered.joined())</radialGradient>"
      }
    }
    add("<rect width=\"\(size.width.svg)\" height=\"\(size.height.svg)\" fill=\"url(#\(identifier))\"/>", blendMode: gradient.blendMode)
  }

  private func reversedStops(_ stops: [GradientStop]) -> [String] {
    stops.reversed().map { "<stop offset=\"\((1 - $0.location).svg)\"\($0.color.svg("stop"))/>" }
  }

  func beginLayer(alpha: CGFloat, blendMode: CGBlendMode) { layers.append(SVGLayer(alpha: alpha, blendMode: blendMode, clip: clip)) }

  func endLayer() {
    guard layers.count > 1, let layer = layers.popLast() else { return }
    clip = layer.clip
    add(layer.group, blendMode: layer.blendMode)
  }

  func makeImage() -> CGImage? { nil }
}

extension SVGSurface {
  /// Adds a definition to `<defs>`: `write` gets a new identifier and returns the markup. Returns the identifier.
  private func define(_ write: (String) -> String) -> String {
    count += 1
    let identifier = "d\(count)"
    definitions += write(identifier) + "\n"
    return identifier
  }

  /// Adds a shape, or a mask over the earlier elements if the blend mode needs one.
  ///
  /// - Parameters:
  ///   - alpha: The shape's opacity, from 0 to 1.
  ///   - shape: Returns the shape's markup: in the given color for a mask, or in the shape's own color if that is nil.
  private func draw(blendMode: CGBlendMode, alpha: CGFloat, shape: (ColorComponents?) -> String) {
    switch blendMode {
    case .clear: erase(shape(.black))
    case .copy:
      erase(shape(.black))
      if alpha > 0 { add(shape(nil), blendMode: .normal) }
    case .destinationOut: erase(shape(ColorComponents.black.multiplyingAlpha(by: alpha)))
    case .destinationIn: erase(shape(ColorComponents.black.multiplyingAlpha(by: 1 - alpha)))
    default: add(shape(nil), blendMode: blendMode)
    }
  }

  private func add(_ markup: String, blendMode: CGBlendMode) {
    let element = SVGElement(markup: markup, clip: clip, blendMode: blendMode.svg)
    let layer = layers.count - 1
    if blendMode == .destinationOver { layers[layer].elements.insert(element, at: 0) } else { layers[layer].elements.append(element) }
  }

  /// Masks the elements of the current layer so that they are hidden where `shape` is, in proportion to its opacity.
  private func erase(_ shape: String) {
    let layer = layers.count - 1
    guard !layers[layer].elements.isEmpty else { return }
    let area = "width=\"\(size.width.svg)\" height=\"\(size.height.svg)\""
    let hole = SVGLayer(elements: [SVGElement(markup: shape, clip: clip, blendMode: nil)]).markup
    let mask = define {
      "<mask id=\"\($0)\" maskUnits=\"userSpaceOnUse\" x=\"0\" y=\"0\" \(area)>\n<rect \(area) fill=\"#ffffff\"/>\n\(hole)</mask>"
    }
    let masked = "<g mask=\"url(#\(mask))\">\n\(layers[layer].markup)</g>"
    layers[layer].elements = [SVGElement(markup: masked, clip: nil, blendMode: nil)]
  }
}

extension Paint {
  /// The SVG attribute that turns antialiasing off; empty if edges are smoothed.
  fileprivate var svgRendering: String { antialiases ? "" : " shape-rendering=\"crispEdges\"" }
}
