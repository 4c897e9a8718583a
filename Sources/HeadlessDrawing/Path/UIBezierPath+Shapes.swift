import Foundation

extension UIBezierPath {
  /// A closed rectangle, clockwise from its upper left corner.
  public convenience init(rect: CGRect) {
    self.init()
    data.addRect(rect)
  }

  /// A closed ellipse inside of a rectangle, clockwise from its rightmost point.
  public convenience init(ovalIn rect: CGRect) {
    self.init()
    data.addEllipse(in: rect)
  }

  /// A closed rectangle with round corners, clockwise. The radius is limited to half the shorter side.
  ///
  /// Corners are quarters of circles; UIKit draws them a little longer.
  public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) {
    self.init()
    let radius = min(cornerRadius, abs(rect.width) / 2, abs(rect.height) / 2)
    data.addRoundedRect(rect, radii: CGSize(width: radius, height: radius))
  }

  /// A closed rectangle some of whose corners are quarters of ellipses, clockwise. The radii are limited to half the sides.
  public convenience init(roundedRect rect: CGRect, byRoundingCorners corners: UIRectCorner, cornerRadii: CGSize) {
    self.init()
    data.addRoundedRect(rect, corners: corners, radii: cornerRadii)
  }

  /// An open arc of a circle.
  ///
  /// - Parameters:
  ///   - startAngle: In radians, clockwise from the positive x axis on the screen, where y grows downwards.
  ///   - clockwise: Whether the arc is drawn clockwise on the screen.
  public convenience init(arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool) {
    self.init()
    addArc(withCenter: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
  }

  /// A path with the elements of a Core Graphics path, and the default line attributes.
  public convenience init(cgPath: CGPath) {
    self.init()
    data = cgPath.data
  }
}

extension UIBezierPath {
  /// Sets the lengths of dashes and gaps in turn, in points.
  ///
  /// - Parameters:
  ///   - pattern: The lengths, or nil for a solid line.
  ///   - count: How many lengths `pattern` points to.
  ///   - phase: How far into the pattern the line begins.
  public func setLineDash(_ pattern: UnsafePointer<CGFloat>?, count: Int, phase: CGFloat) {
    dash = (pattern.map { Array(UnsafeBufferPointer(start: $0, count: max(0, count))) } ?? [], phase)
  }

  /// Reads the dash pattern that `setLineDash(_:count:phase:)` set. Each pointer may be nil.
  ///
  /// - Parameter pattern: Room for as many lengths as an earlier call wrote to `count`.
  public func getLineDash(
    _ pattern: UnsafeMutablePointer<CGFloat>?, count: UnsafeMutablePointer<Int>?, phase: UnsafeMutablePointer<CGFloat>?
  ) {
    if let pattern {
      for (index, length) in dash.lengths.enumerated() { pattern[index] = length }
    }
    count?.pointee = dash.lengths.count
    phase?.pointee = dash.phase
  }

  /// The path's line attributes, as the drawing context takes them.
  var strokeStyle: StrokeStyle {
    StrokeStyle(
      width: lineWidth, cap: lineCapStyle, join: lineJoinStyle, miterLimit: miterLimit, dashPhase: dash.phase, dashLengths: dash.lengths)
  }
}
