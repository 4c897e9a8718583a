import Foundation

/// What colors a shape: a color and how it is combined with what is there.
struct Paint: Hashable, Sendable {
  /// The color, with the context's alpha in its own.
  var color: ColorComponents
  var blendMode = CGBlendMode.normal
  var antialiases = true
}

/// Something to draw in the surface's coordinates by a transform from those of the user.
struct PlacedImage {
  var image: CGImage
  var rect: CGRect
  var transform: CGAffineTransform
  var alpha: CGFloat
  var blendMode: CGBlendMode
}

/// Lines of text whose origins are in the user's coordinates.
struct PlacedText {
  var lines: [TextLine]
  var face: FontFace
  var transform: CGAffineTransform
  var paint: Paint
}

/// A gradient in the user's coordinates.
struct PlacedGradient {
  /// The circles between which the colors lie. A linear gradient has points: circles without a radius.
  enum Shape: Hashable, Sendable {
    case linear(from: CGPoint, to: CGPoint)
    case radial(from: CGPoint, fromRadius: CGFloat, to: CGPoint, toRadius: CGFloat)
  }

  var shape: Shape
  /// The stops, with the context's alpha in their colors, so that the first color reaches before the start and the last one after the end.
  var stops: [GradientStop]
  var transform: CGAffineTransform
  var blendMode: CGBlendMode
}

/// What a context draws on. Used on the context's thread.
///
/// Fills and clips come in the surface's coordinates, which are points times the scale, with y growing downwards. Numbers are finite, and
/// every transform has an inverse.
protocol DrawingSurface: AnyObject {
  /// Keeps the clip for the call of `restore()` that belongs to this one.
  func save()
  func restore()
  /// Limits what is drawn to the inside of the path as well.
  func clip(_ path: PathData, rule: CGPathFillRule)
  func fill(_ path: PathData, rule: CGPathFillRule, paint: Paint)
  /// Draws along a path in the user's coordinates with a pen of the user's.
  func stroke(_ path: PathData, style: StrokeStyle, transform: CGAffineTransform, paint: Paint)
  func draw(_ image: PlacedImage)
  func draw(_ text: PlacedText)
  /// Draws everywhere inside of the clip.
  func draw(_ gradient: PlacedGradient)
  /// Draws on a transparent layer of its own until the call of `endLayer()` that belongs to this one, which draws the layer.
  func beginLayer(alpha: CGFloat, blendMode: CGBlendMode)
  func endLayer()
  /// What was drawn so far; nil if the surface has no pixels.
  func makeImage() -> CGImage?
}

/// A surface that keeps nothing.
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
