import Foundation

// Drawing of paths on the thread's current context; without one, nothing is drawn.
extension UIBezierPath {
  /// Fills the path with the current fill color, by the rule that `usesEvenOddFillRule` chooses. Open subpaths are filled as if they were closed.
  public func fill() { fill(blendMode: nil, alpha: nil) }

  /// Fills the path with the current fill color, with this blend mode.
  ///
  /// - Parameter alpha: The opacity, from 0 to 1; the color's own alpha is multiplied by it.
  public func fill(with blendMode: CGBlendMode, alpha: CGFloat) { fill(blendMode: blendMode, alpha: alpha) }

  /// Draws along the path with the current stroke color and the path's line attributes.
  public func stroke() { stroke(blendMode: nil, alpha: nil) }

  /// Draws along the path with the current stroke color and the path's line attributes, with this blend mode.
  ///
  /// - Parameter alpha: The opacity, from 0 to 1; the color's own alpha is multiplied by it.
  public func stroke(with blendMode: CGBlendMode, alpha: CGFloat) { stroke(blendMode: blendMode, alpha: alpha) }

  /// Restricts drawing on the current context to the part of its clip inside of the path, by the rule that `usesEvenOddFillRule` chooses.
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

  /// Adds the path to the current context, sets blend mode and alpha unless nil, and calls `body`; the context's state is restored afterwards.
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
