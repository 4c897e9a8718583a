/// How a color that is drawn is combined with what is there.
public enum CGBlendMode: Int32, Sendable {
  /// The color covers what is there, by its opacity.
  case normal
  /// The product of both: never lighter.
  case multiply
  /// The inverse of the product of the inverses: never darker.
  case screen
  /// `multiply` where the background is dark, `screen` where it is light.
  case overlay
  /// The darker of both, by component.
  case darken
  /// The lighter of both, by component.
  case lighten
  /// The background, brightened by the color.
  case colorDodge
  /// The background, darkened by the color.
  case colorBurn
  /// The background, gently darkened or lightened by the color.
  case softLight
  /// `multiply` where the color is dark, `screen` where it is light.
  case hardLight
  /// The difference of both.
  case difference
  /// Like `difference`, with less contrast.
  case exclusion
  /// The color's hue, with the background's saturation and luminosity.
  case hue
  /// The color's saturation, with the background's hue and luminosity.
  case saturation
  /// The color's hue and saturation, with the background's luminosity.
  case color
  /// The color's luminosity, with the background's hue and saturation.
  case luminosity
  /// Nothing is left.
  case clear
  /// The color replaces what is there, its opacity as well.
  case copy
  /// The color, as far as there is something.
  case sourceIn
  /// The color, as far as there is nothing.
  case sourceOut
  /// The color over what is there, as far as there is something.
  case sourceAtop
  /// What is there over the color.
  case destinationOver
  /// What is there, as far as the color is opaque.
  case destinationIn
  /// What is there, as far as the color is transparent.
  case destinationOut
  /// What is there over the color, as far as the color is opaque.
  case destinationAtop
  /// Each as far as the other isn't there.
  case xor
  /// Drawn as `darken`.
  case plusDarker
  /// The sum of both, at most 1.
  case plusLighter
}
