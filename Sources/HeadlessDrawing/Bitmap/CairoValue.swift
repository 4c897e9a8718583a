/// Values of cairo's enumerations (`cairo_operator_t`, `cairo_extend_t` and so on). Line caps and joins aren't listed: cairo's values for them equal
/// Core Graphics' raw values.
enum CairoValue {
  static let operatorDestinationOut: Int32 = 9
  static let extendPad: Int32 = 3
  static let antialiasDefault: Int32 = 0
  static let antialiasNone: Int32 = 1
  static let fillRuleWinding: Int32 = 0
  static let fillRuleEvenOdd: Int32 = 1
}

extension CGBlendMode {
  /// The value of cairo's `cairo_operator_t` that draws with this blend mode.
  var cairoOperator: Int32 {
    switch self {
    case .clear: 0
    case .copy: 1
    case .normal: 2
    case .sourceIn: 3
    case .sourceOut: 4
    case .sourceAtop: 5
    case .destinationOver: 7
    case .destinationIn: 8
    case .destinationOut: 9
    case .destinationAtop: 10
    case .xor: 11
    case .plusLighter: 12
    case .multiply: 14
    case .screen: 15
    case .overlay: 16
    case .darken, .plusDarker: 17
    case .lighten: 18
    case .colorDodge: 19
    case .colorBurn: 20
    case .hardLight: 21
    case .softLight: 22
    case .difference: 23
    case .exclusion: 24
    case .hue: 25
    case .saturation: 26
    case .color: 27
    case .luminosity: 28
    }
  }

  /// Whether cairo, with this mode, also changes pixels outside of the shape, up to the clip. Core Graphics doesn't, so the surface clips to the
  /// shape first.
  var reachesOutside: Bool {
    switch self {
    case .sourceIn, .sourceOut, .destinationIn, .destinationAtop: true
    default: false
    }
  }
}
