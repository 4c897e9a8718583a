import Foundation

/// What `saveGState()` keeps and `restoreGState()` brings back, but for the clip, which the surface keeps.
struct GraphicsState {
  /// From the user's coordinates to the surface's.
  var transform: CGAffineTransform
  var fillColor = ColorComponents.black
  var strokeColor = ColorComponents.black
  var stroke = StrokeStyle()
  var alpha: CGFloat = 1
  var blendMode = CGBlendMode.normal
  var antialiases = true
  /// A box around the clip, in the surface's coordinates.
  var clipBounds: CGRect

  init(transform: CGAffineTransform, clipBounds: CGRect) {
    self.transform = transform
    self.clipBounds = clipBounds
  }

  var fillPaint: Paint { Paint(color: fillColor.multiplyingAlpha(by: alpha), blendMode: blendMode, antialiases: antialiases) }

  var strokePaint: Paint { Paint(color: strokeColor.multiplyingAlpha(by: alpha), blendMode: blendMode, antialiases: antialiases) }
}
