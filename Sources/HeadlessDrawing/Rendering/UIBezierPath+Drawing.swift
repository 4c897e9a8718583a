import Foundation

// Drawing on the thread's current context. Where there is none, nothing is drawn.
extension UIBezierPath {
  /// Fills the path with the current fill color, by the rule that `usesEvenOddFillRule` chooses. Open subpaths are closed for it.
  public func fill() { fill(blendMode: nil, alpha: nil) }

  /// Fills the path with the current fill color.
  ///
  /// - Parameter alpha: The opacity, from 0 to 1, by which the color's is multiplied.
  public func fill(with blendMode: CGBlendMode, alpha: CGFloat) { fill(blendMode: blendMode, alpha: alpha) }

  /// Draws along the path with the current stroke color and the path's line attributes.
  public func stroke() { stroke(blendMode: nil, alpha: nil) }

  /// Draws along the path with the current stroke color and the path's line attributes.
  ///
  /// - Parameter alpha: The opacity, from 0 to 1, by which the color's is multiplied.
  public func stroke(with blendMode: CGBlendMode, alpha: CGFloat) { stroke(blendMode: blendMode, alpha: alpha) }

  /// Limits what is drawn on the current context to the inside of the path as well, by the rule that `usesEvenOddFillRule` chooses.
  public func addClip() {
    guard let context = UIGraphicsGetCurrentContext() else { return }
    context.beginPath()
    context.addPath(cgPath)
    context.clip(using: fillRule)
  }

  private func fill(blendMode: CGBlendMode?, alpha: CGFloat?) {
    draw(blendMode: blendMode, alpha: alpha) { $0.fillPath(using: fillRule) }
  }

  private func stroke(blendMode: CGBlendMode?, alpha: CGFloat?) {
    draw(blendMode: blendMode, alpha: alpha) {
      $0.state.stroke = strokeStyle
      $0.strokePath()
    }
  }

  /// Makes the path the current one of the current context and calls the body with its state kept.
  private func draw(blendMode: CGBlendMode?, alpha: CGFloat?, _ body: (CGContext) -> Void) {
    guard let context = UIGraphicsGetCurrentContext() else { return }
    context.withSavedState {
      if let blendMode { context.setBlendMode(blendMode) }
      if let alpha { context.setAlpha(alpha) }
      context.beginPath()
      context.addPath(cgPath)
      body(context)
    }
  }
}
