extension UIColor {
  /// Makes this the color of fills and strokes on the thread's current context.
  public func set() {
    setFill()
    setStroke()
  }

  /// Makes this the color of fills on the thread's current context.
  public func setFill() { UIGraphicsGetCurrentContext()?.setFillColor(cgColor) }

  /// Makes this the color of strokes on the thread's current context.
  public func setStroke() { UIGraphicsGetCurrentContext()?.setStrokeColor(cgColor) }
}
