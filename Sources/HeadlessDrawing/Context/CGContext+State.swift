import Foundation

extension CGContext {
  /// Sets the color of fills.
  public func setFillColor(_ color: CGColor) { state.fillColor = color.rgba }

  /// Sets the color of fills.
  public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.fillColor = ColorComponents(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// Sets the color of fills to a grey.
  public func setFillColor(gray: CGFloat, alpha: CGFloat) { setFillColor(red: gray, green: gray, blue: gray, alpha: alpha) }

  /// Sets the color of strokes.
  public func setStrokeColor(_ color: CGColor) { state.strokeColor = color.rgba }

  /// Sets the color of strokes.
  public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.strokeColor = ColorComponents(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// Sets the color of strokes to a grey.
  public func setStrokeColor(gray: CGFloat, alpha: CGFloat) { setStrokeColor(red: gray, green: gray, blue: gray, alpha: alpha) }

  /// Sets the width of strokes, in the units of the user's coordinates. A width that isn't positive draws nothing.
  public func setLineWidth(_ width: CGFloat) { state.stroke.width = width }

  /// Sets how the ends of open subpaths are drawn.
  public func setLineCap(_ cap: CGLineCap) { state.stroke.cap = cap }

  /// Sets how corners are drawn.
  public func setLineJoin(_ join: CGLineJoin) { state.stroke.join = join }

  /// Sets the miter limit: a corner whose miter's length exceeds the line width times this limit is beveled.
  public func setMiterLimit(_ limit: CGFloat) { state.stroke.miterLimit = limit }

  /// Sets the line's dash pattern.
  ///
  /// - Parameters:
  ///   - phase: How far into the pattern a line begins, in the units of the user's coordinates.
  ///   - lengths: The lengths of dashes and gaps in turn. The line is solid if the list is empty, has a negative length, or has only zeros.
  public func setLineDash(phase: CGFloat, lengths: [CGFloat]) {
    state.stroke.dashPhase = phase
    state.stroke.dashLengths = lengths
  }

  /// Has no effect: curves are always drawn with a tolerance of a tenth of a pixel.
  public func setFlatness(_ flatness: CGFloat) {}

  /// Sets the opacity of everything that is drawn, from 0 to 1.
  public func setAlpha(_ alpha: CGFloat) { state.alpha = ColorComponents.limited(alpha) }

  /// Sets how drawn colors are combined with those that the context already has.
  public func setBlendMode(_ mode: CGBlendMode) { state.blendMode = mode }

  /// Sets whether edges are smoothed (antialiased).
  public func setShouldAntialias(_ shouldAntialias: Bool) { state.antialiases = shouldAntialias }
}
