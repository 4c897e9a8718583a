/// How the color that is drawn (the source, S) is combined with the color that the context already has at the pixel (the background, D).
public enum CGBlendMode: Int32, Sendable {
  /// The source covers the background according to its opacity.
  case normal
  /// The product of source and background: the result is never lighter than either.
  case multiply
  /// The inverse of the product of the inverted source and background: the result is never darker than either.
  case screen
  /// `multiply` where the background is dark, `screen` where it is light.
  case overlay
  /// The darker of source and background, for each component.
  case darken
  /// The lighter of source and background, for each component.
  case lighten
  /// The background, brightened according to the source.
  case colorDodge
  /// The background, darkened according to the source.
  case colorBurn
  /// The background, gently darkened or lightened according to the source.
  case softLight
  /// `multiply` where the source is dark, `screen` where it is light.
  case hardLight
  /// The absolute difference of source and background.
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
  /// Makes the pixels transparent: R = 0.
  case clear
  /// The source replaces the background, alpha included: R = S.
  case copy
  /// The source where the background is opaque: R = S·Da (Da is the background's alpha).
  case sourceIn
  /// The source where the background is transparent: R = S·(1 − Da).
  case sourceOut
  /// The source over the background, only where the background is opaque: R = S·Da + D·(1 − Sa).
  case sourceAtop
  /// The background over the source: R = S·(1 − Da) + D.
  case destinationOver
  /// The background where the source is opaque: R = D·Sa (Sa is the source's alpha).
  case destinationIn
  /// The background where the source is transparent: R = D·(1 − Sa).
  case destinationOut
  /// The background over the source, only where the source is opaque: R = S·(1 − Da) + D·Sa.
  case destinationAtop
  /// The source where the background is transparent, and the background where the source is transparent: R = S·(1 − Da) + D·(1 − Sa).
  case xor
  /// Drawn as `darken`, as cairo and CSS don't have this mode.
  case plusDarker
  /// The sum of source and background, at most 1 for each component.
  case plusLighter
}
