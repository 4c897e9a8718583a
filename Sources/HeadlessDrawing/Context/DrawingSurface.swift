import Foundation

/// How a shape is painted: its color, blend mode and antialiasing.
struct Paint: Hashable, Sendable {
  /// The color; its alpha has been multiplied by the context's alpha.
  var color: ColorComponents
  var blendMode = CGBlendMode.normal
  var antialiases = true
}

/// An image to draw into `rect`, which `transform` maps from the user's coordinates to the surface's.
struct PlacedImage {
  var image: CGImage
  var rect: CGRect
  var transform: CGAffineTransform
  var alpha: CGFloat
  var blendMode: CGBlendMode
}

/// Lines of text to draw; `transform` maps their origins from the user's coordinates to the surface's.
struct PlacedText {
  var lines: [TextLine]
  var face: FontFace
  var transform: CGAffineTransform
  var paint: Paint
}

/// A gradient to draw; `transform` maps its shape from the user's coordinates to the surface's.
struct PlacedGradient {
  /// Where the gradient's first and last color lie: at two points (linear), or on two circles (radial).
  enum Shape: Hashable, Sendable {
    case linear(from: CGPoint, to: CGPoint)
    case radial(from: CGPoint, fromRadius: CGFloat, to: CGPoint, toRadius: CGFloat)
  }

  var shape: Shape
  /// The colors from position 0 to 1, with the context's alpha in theirs. A surface continues the first color before the start and the last one after
  /// the end.
  var stops: [GradientStop]
  var transform: CGAffineTransform
  var blendMode: CGBlendMode
}

/// The output of a context: a bitmap, or an SVG document. Used on the context's thread.
///
/// Fills and clips are given in the surface's coordinates, which are points times the scale, with y growing downwards. All numbers are finite, and
/// every transform has an inverse.
protocol DrawingSurface: AnyObject {
  /// Saves the clip; the matching `restore()` restores it.
  func save()
  func restore()
  /// Restricts the clip to its part inside of `path`.
  func clip(_ path: PathData, rule: CGPathFillRule)
  func fill(_ path: PathData, rule: CGPathFillRule, paint: Paint)
  /// Draws a line along `path`. The path and the line's width are in the user's coordinates, which `transform` maps to the surface's.
  func stroke(_ path: PathData, style: StrokeStyle, transform: CGAffineTransform, paint: Paint)
  func draw(_ image: PlacedImage)
  func draw(_ text: PlacedText)
  /// Paints the gradient over the whole clip.
  func draw(_ gradient: PlacedGradient)
  /// Directs drawing to a new transparent layer until the matching `endLayer()`, which draws the layer with this alpha and blend mode.
  func beginLayer(alpha: CGFloat, blendMode: CGBlendMode)
  func endLayer()
  /// An image of what has been drawn so far; nil if the surface has no pixels.
  func makeImage() -> CGImage?
}

/// A surface that ignores all drawing, for a context for which no bitmap could be made.
final class EmptySurface: DrawingSurface {
  func save() {}
  func restore() {}
  func clip(_ path: PathData, rule: CGPathFillRule) {}
  func fill(_ path: PathData, rule: CGPathFillRule, paint: Paint) {}
  func stroke(_ path: PathData, style: StrokeStyle, transform: CGAffineTransform, paint: Paint) {}
  func draw(_ image: PlacedImage) {}
  func draw(_ text: PlacedText) {}
  func draw(_ gradient: PlacedGradient) {}
  func beginLayer(alpha: CGFloat, blendMode: CGBlendMode) {}
  func endLayer() {}
  func makeImage() -> CGImage? { nil }
}
