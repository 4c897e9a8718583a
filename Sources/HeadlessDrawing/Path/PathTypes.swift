import Foundation

/// The rule that decides which areas a path encloses.
public enum CGPathFillRule: Int, Sendable {
  /// Where the path winds around a point a number of times other than zero.
  case winding
  /// Where a ray from a point crosses the path an odd number of times.
  case evenOdd
}

/// What `CGContext.drawPath(using:)` does with a path.
public enum CGPathDrawingMode: Int32, Sendable {
  /// Fills by the winding rule.
  case fill
  /// Fills by the even-odd rule.
  case eoFill
  /// Draws along the path.
  case stroke
  /// Fills by the winding rule, then draws along the path.
  case fillStroke
  /// Fills by the even-odd rule, then draws along the path.
  case eoFillStroke
}

/// How the ends of an open stroke are drawn.
public enum CGLineCap: Int32, Sendable {
  /// The line ends at its end point.
  case butt
  /// A half circle around the end point.
  case round
  /// A half square around the end point.
  case square
}

/// How a stroke is drawn where two segments meet.
public enum CGLineJoin: Int32, Sendable {
  /// A sharp corner, or a bevel where the miter limit is exceeded.
  case miter
  /// A circle around the point.
  case round
  /// A cut corner.
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
  /// The kind, which says how many points there are: 1, 1, 2, 3 and 0.
  public var type: CGPathElementType
  /// The control points in order, then the end point. Valid during the call of the block.
  public var points: UnsafeMutablePointer<CGPoint>

  /// An element of these points.
  public init(type: CGPathElementType, points: UnsafeMutablePointer<CGPoint>) {
    self.type = type
    self.points = points
  }
}
