import Foundation

// Drawing of images on the thread's current context; without one, nothing is drawn.
extension UIImage {
  /// Draws the image with its upper left corner at a point.
  public func draw(at point: CGPoint) { draw(at: point, blendMode: .normal, alpha: 1) }

  /// Draws the image with its upper left corner at a point, with this blend mode.
  ///
  /// - Parameter alpha: The opacity, from 0 to 1.
  public func draw(at point: CGPoint, blendMode: CGBlendMode, alpha: CGFloat) {
    draw(in: CGRect(origin: point, size: size), blendMode: blendMode, alpha: alpha)
  }

  /// Draws the image so that it fills a rectangle.
  public func draw(in rect: CGRect) { draw(in: rect, blendMode: .normal, alpha: 1) }

  /// Draws the image so that it fills a rectangle, with this blend mode.
  ///
  /// - Parameter alpha: The opacity, from 0 to 1.
  public func draw(in rect: CGRect, blendMode: CGBlendMode, alpha: CGFloat) {
    guard let cgImage, let context = UIGraphicsGetCurrentContext() else { return }
    context.withSavedState {
      context.setBlendMode(blendMode)
      context.setAlpha(alpha)
      context.drawUpright(cgImage, in: rect)
    }
  }

  /// Covers a rectangle with copies of the image, the first one in its upper left corner.
  public func drawAsPattern(in rect: CGRect) {
    guard let cgImage, let context = UIGraphicsGetCurrentContext(), rect.isFinite, rect.width > 0, rect.height > 0 else { return }
    let (columns, rows) = ((rect.width / size.width).rounded(.up), (rect.height / size.height).rounded(.up))
    guard columns * rows <= 10_000 else { return }
    context.withSavedState {
      context.clip(to: rect)
      for column in 0..<Int(columns) {
        for row in 0..<Int(rows) {
          let origin = CGPoint(x: rect.minX + CGFloat(column) * size.width, y: rect.minY + CGFloat(row) * size.height)
          context.drawUpright(cgImage, in: CGRect(origin: origin, size: size))
        }
      }
    }
  }
}
