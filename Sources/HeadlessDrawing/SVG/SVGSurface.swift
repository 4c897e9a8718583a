import Foundation

/// Records what is drawn as SVG.
///
/// Fills and clips are written in the document's coordinates; lines whose pen isn't a circle there, images, text and gradients with their
/// transform. Of the blend modes that CSS doesn't have, `clear`, `copy`, `destinationIn` and `destinationOut` become masks over what was
/// drawn before and `destinationOver` is put below it; the others are recorded as `normal`.
final class SVGSurface: DrawingSurface {
  private let size: CGSize
  /// Clips, gradients and masks.
  private var definitions = ""
  /// How many of them there are, from which their identifiers are made.
  private var count = 0
  /// What was drawn on each layer that isn't ended, the document first.
  private var layers: [SVGLayer] = [SVGLayer()]
  /// The identifier of the clip, nil where everything is visible.
  private var clip: String?
  private var savedClips: [String?] = []

  init(size: CGSize) { self.size = size }

  /// The document. Layers that weren't ended are left out.
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
        // SVG's first circle is the smaller one; the other way round the stops are reversed.
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

  func beginLayer(alpha: CGFloat, blendMode: CGBlendMode) { layers.append(SVGLayer(alpha: alpha, blendMode: blendMode)) }

  func endLayer() {
    guard layers.count > 1, let layer = layers.popLast() else { return }
    add("<g\(layer.alpha < 1 ? " opacity=\"\(layer.alpha.svg)\"" : "")>\n\(layer.markup)</g>", blendMode: layer.blendMode)
  }

  func makeImage() -> CGImage? { nil }
}

extension SVGSurface {
  /// Adds a definition that the closure writes for an identifier, and returns this.
  private func define(_ write: (String) -> String) -> String {
    count += 1
    let identifier = "d\(count)"
    definitions += write(identifier) + "\n"
    return identifier
  }

  /// Draws a shape by a blend mode.
  ///
  /// - Parameters:
  ///   - alpha: The shape's opacity.
  ///   - shape: Writes the shape, in the color that it is given for a mask or in its own.
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

  /// Hides what was drawn on the layer where the shape is, as far as it is opaque.
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
  /// The attribute of edges that aren't smoothed.
  fileprivate var svgRendering: String { antialiases ? "" : " shape-rendering=\"crispEdges\"" }
}
