import Foundation

/// The rule by which a fill decides which points are inside of a path.
public enum CGPathFillRule: Int, Sendable {
  /// A point is inside if the path winds around it a number of times other than zero.
  case winding
  /// A point is inside if a ray from it crosses the path an odd number of times.
  case evenOdd
}

/// What `CGContext.drawPath(using:)` does with a path.
public enum CGPathDrawingMode: Int32, Sendable {
  /// Fills by the winding rule.
  case fill
  /// Fills by the even-odd rule.
  case eoFill
  /// Draws a line along the path.
  case stroke
  /// Fills by the winding rule, then draws a line along the path.
  case fillStroke
  /// Fills by the even-odd rule, then draws a line along the path.
  case eoFillStroke
}

/// How the ends of an open stroke are drawn.
public enum CGLineCap: Int32, Sendable {
  /// The line ends exactly at the end point.
  case butt
  /// A half circle is added around the end point.
  case round
  /// A half square is added around the end point: the line is longer by half its width.
  case square
}

/// How a stroke is drawn where two segments meet.
public enum CGLineJoin: Int32, Sendable {
  /// A sharp corner, or a bevel if the miter limit is exceeded.
  case miter
  /// A round corner: a circle around the point.
  case round
  /// A beveled corner: the outer ends of the two lines are connected straight.
  case bevel
}

/// The kind of an element of a path.
public enum CGPathElementType: Int32, Sendable {
  /// Begins a subpath: one point.
  case moveToPoint
  /// A line: one point.
  case addLineToPoint
  /// A quadratic curve: two points.
  case addQuadCurveToPoint
  /// A cubic curve: three points.
  case addCurveToPoint
  /// A line to the start of the subpath: no point.
  case closeSubpath
}

/// An element of a path, as `CGPath.applyWithBlock(_:)` hands it out.
public struct CGPathElement {
  /// The kind of element, which determines the number of points: a move and a line have 1, a quadratic curve 2, a cubic curve 3, a close 0.
  public var type: CGPathElementType
  /// The element's control points in order, then its end point. Valid only during the call of the block.
  public var points: UnsafeMutablePointer<CGPoint>

  /// Creates an element from its kind and its points.
  public init(type: CGPathElementType, points: UnsafeMutablePointer<CGPoint>) {
    self.type = type
    self.points = points
  }
}
