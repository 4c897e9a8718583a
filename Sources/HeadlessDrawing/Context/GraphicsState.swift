import Foundation

/// The part of a context's state that `saveGState()` saves and `restoreGState()` restores. The clip itself is saved by the surface.
struct GraphicsState {
  /// The current transformation matrix: from the user's coordinates to the surface's.
  var transform: CGAffineTransform
  var fillColor = ColorComponents.black
  var strokeColor = ColorComponents.black
  var stroke = StrokeStyle()
  var alpha: CGFloat = 1
  var blendMode = CGBlendMode.normal
  var antialiases = true
  /// A rectangle that encloses the clip, in the surface's coordinates.
  var clipBounds: CGRect

  init(transform: CGAffineTransform, clipBounds: CGRect) {
    self.transform = transform
    self.clipBounds = clipBounds
  }

  var fillPaint: Paint { Paint(color: fillColor.multiplyingAlpha(by: alpha), blendMode: blendMode, antialiases: antialiases) }

  var strokePaint: Paint { Paint(color: strokeColor.multiplyingAlpha(by: alpha), blendMode: blendMode, antialiases: antialiases) }
}
