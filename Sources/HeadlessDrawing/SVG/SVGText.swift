import Foundation

// The SVG notation of numbers, points, transforms, colors, paths and text.

extension CGFloat {
  /// The number with up to seven significant digits, independent of the user's locale; 0 if it isn't finite.
  var svg: String {
    guard isFinite else { return "0" }
    if self == rounded(), magnitude < 1e7 { return String(Int(self)) }
    return String(format: "%.7g", self)
  }
}

extension CGPoint {
  var svg: String { "\(x.svg) \(y.svg)" }
}

extension CGAffineTransform {
  /// The transform as the attribute `name`, `transform` or `gradientTransform`; empty for the identity.
  func svg(_ name: String = "transform") -> String {
    isIdentity ? "" : " \(name)=\"matrix(\(a.svg) \(b.svg) \(c.svg) \(d.svg) \(tx.svg) \(ty.svg))\""
  }
}

extension ColorComponents {
  /// The color without its opacity, as `#rrggbb`.
  var svg: String {
    let digits = Array("0123456789abcdef")
    return [red, green, blue].reduce("#") { text, component in
      let byte = Int((component * 255).rounded())
      return text + String(digits[byte >> 4]) + String(digits[byte & 15])
    }
  }

  /// The color and opacity as SVG attributes, where `name` is `fill`, `stroke` or `stop`.
  func svg(_ name: String) -> String {
    let color = name == "stop" ? "stop-color" : name
    return " \(color)=\"\(svg)\"" + (alpha < 1 ? " \(name)-opacity=\"\(alpha.svg)\"" : "")
  }
}

extension PathData {
  /// The path as the value of a `<path>` element's attribute `d`.
  var svg: String {
    segments.map { segment in
      switch segment {
      case .move(let point): "M\(point.svg)"
      case .line(let point): "L\(point.svg)"
      case .quad(let control, let end): "Q\(control.svg) \(end.svg)"
      case .curve(let control1, let control2, let end): "C\(control1.svg) \(control2.svg) \(end.svg)"
      case .close: "Z"
      }
    }.joined()
  }
}

extension String {
  /// The text escaped for the content of an element or for an attribute in double quotes. Control characters that XML 1.0 doesn't allow are left out.
  var svgEscaped: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\t", "\n", "\r": text += " "
      default:
        if scalar.value >= 0x20, scalar.value != 0xfffe, scalar.value != 0xffff { text.unicodeScalars.append(scalar) }
      }
    }
  }
}

extension StrokeStyle {
  /// The line's attributes (width, cap, join, dashes) as SVG attributes.
  ///
  /// - Parameters:
  ///   - scale: The factor by which the width and the dashes are multiplied.
  ///   - extent: The larger side of the path's bounds, in the line's own units; decides whether the dashes are drawn.
  func svg(scale: CGFloat, extent: CGFloat) -> String {
    var text = " stroke-width=\"\((width * scale).svg)\""
    switch cap {
    case .butt: break
    case .round: text += " stroke-linecap=\"round\""
    case .square: text += " stroke-linecap=\"square\""
    }
    switch join {
    case .miter: text += " stroke-miterlimit=\"\(drawableMiterLimit.svg)\""
    case .round: text += " stroke-linejoin=\"round\""
    case .bevel: text += " stroke-linejoin=\"bevel\""
    }
    if let dashes = dashes(forExtent: extent) {
      text += " stroke-dasharray=\"\(dashes.map { ($0 * scale).svg }.joined(separator: " "))\""
      if dashPhase != 0 { text += " stroke-dashoffset=\"\((dashPhase * scale).svg)\"" }
    }
    return text
  }
}

extension CGBlendMode {
  /// The blend mode's value in CSS's `mix-blend-mode`; nil for `normal` and for modes that CSS doesn't have.
  var svg: String? {
    switch self {
    case .multiply: "multiply"
    case .screen: "screen"
    case .overlay: "overlay"
    case .darken, .plusDarker: "darken"
    case .lighten: "lighten"
    case .colorDodge: "color-dodge"
    case .colorBurn: "color-burn"
    case .softLight: "soft-light"
    case .hardLight: "hard-light"
    case .difference: "difference"
    case .exclusion: "exclusion"
    case .hue: "hue"
    case .saturation: "saturation"
    case .color: "color"
    case .luminosity: "luminosity"
    case .plusLighter: "plus-lighter"
    case .normal, .clear, .copy, .sourceIn, .sourceOut, .sourceAtop, .destinationOver, .destinationIn, .destinationOut, .destinationAtop,
      .xor:
      nil
    }
  }
}
