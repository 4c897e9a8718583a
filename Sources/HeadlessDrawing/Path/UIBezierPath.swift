import Foundation

/// A path of lines and curves with the attributes with which it is drawn.
///
/// A path may be used on one thread at a time. Numbers that aren't finite are ignored, and so are segments that are added without a
/// current point.
open class UIBezierPath: NSObject, NSCopying {
  var data = PathData()
  /// The dash pattern and its phase, as `setLineDash(_:count:phase:)` set them.
  var dash: (lengths: [CGFloat], phase: CGFloat) = ([], 0)

  /// The width of strokes, in points. The default is 1.
  open var lineWidth: CGFloat = 1
  /// How the ends of open subpaths are drawn. The default is `.butt`.
  open var lineCapStyle: CGLineCap = .butt
  /// How corners are drawn. The default is `.miter`.
  open var lineJoinStyle: CGLineJoin = .miter
  /// The miter limit: a corner whose miter's length exceeds the line width times this limit is beveled. The default is 10.
  open var miterLimit: CGFloat = 10
  /// Kept, but without effect: curves are always drawn with a tolerance of a tenth of a pixel.
  open var flatness: CGFloat = 0.6
  /// Whether the even-odd rule decides what is inside, in place of the winding rule. The default is false.
  open var usesEvenOddFillRule = false

  /// An empty path.
  public required override init() { super.init() }

  /// A copy of the path's elements, without its attributes. Later changes of the path don't change it.
  open var cgPath: CGPath {
    get { CGPath(data: data) }
    set { data = newValue.data }
  }

  /// Whether the path has no elements.
  open var isEmpty: Bool { data.isEmpty }

  /// The smallest rectangle that encloses the lines and curves themselves, without their control points and the width of lines. The null
  /// rectangle if there are no segments.
  open var bounds: CGRect { data.bounds }

  /// Where the next segment would begin; the origin if the path is empty.
  open var currentPoint: CGPoint { data.current ?? .zero }

  /// Whether a fill of the path, by the rule that ``usesEvenOddFillRule`` chooses, paints the point.
  ///
  /// Open subpaths count as closed, as they do in a fill. Apple's documentation says that they contain nothing.
  open func contains(_ point: CGPoint) -> Bool { data.contains(point, rule: fillRule) }

  var fillRule: CGPathFillRule { usesEvenOddFillRule ? .evenOdd : .winding }

  /// Begins a subpath at a point.
  open func move(to point: CGPoint) { data.move(to: point) }

  /// Adds a line from the current point.
  open func addLine(to point: CGPoint) { data.addLine(to: point) }

  /// Adds a quadratic curve from the current point.
  open func addQuadCurve(to endPoint: CGPoint, controlPoint: CGPoint) { data.append(.quad(control: controlPoint, end: endPoint)) }

  /// Adds a cubic curve from the current point.
  open func addCurve(to endPoint: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {
    data.append(.curve(control1: controlPoint1, control2: controlPoint2, end: endPoint))
  }

  /// Adds an arc of a circle, with a line from the current point to its beginning if there is one.
  ///
  /// - Parameters:
  ///   - startAngle: In radians, clockwise from the positive x axis on the screen, where y grows downwards.
  ///   - clockwise: Whether the arc is drawn clockwise on the screen.
  open func addArc(withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool) {
    let delta = PathData.sweep(from: startAngle, to: endAngle, increasing: clockwise)
    data.addArc(center: center, radius: radius, startAngle: startAngle, delta: delta)
  }

  /// Closes the current subpath with a line to its start, which becomes the current point.
  open func close() { data.close() }

  /// Removes all elements. The attributes stay unchanged.
  open func removeAllPoints() { data = PathData() }

  /// Adds the elements of another path.
  open func append(_ bezierPath: UIBezierPath) { data.append(bezierPath.data) }

  /// Transforms all points. The attributes, such as the line width, stay unchanged.
  open func apply(_ transform: CGAffineTransform) { data = data.applying(transform) }

  /// A path of the same lines and curves in the opposite direction, with the same attributes.
  open func reversing() -> UIBezierPath {
    let result = duplicate()
    result.data = data.reversed
    return result
  }

  /// A copy of the path with its elements and attributes.
  open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  private func duplicate() -> UIBezierPath {
    let result = Self()
    result.data = data
    result.dash = dash
    result.lineWidth = lineWidth
    result.lineCapStyle = lineCapStyle
    result.lineJoinStyle = lineJoinStyle
    result.miterLimit = miterLimit
    result.flatness = flatness
    result.usesEvenOddFillRule = usesEvenOddFillRule
    return result
  }
}
