import Foundation

/// A path of lines and curves.
///
/// A path of this class doesn't change; its subclass ``CGMutablePath`` does, and may be used on one thread at a time. Numbers that aren't
/// finite are ignored, and so are segments without a current point.
public class CGPath: Hashable {
  var data: PathData

  init(data: PathData) { self.data = data }

  /// A path of one closed rectangle, transformed unless `transform` is nil.
  public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    self.init(transform) { $0.addRect(rect) }
  }

  /// A path of one ellipse inside of a rectangle, transformed unless `transform` is nil.
  public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    self.init(transform) { $0.addEllipse(in: rect) }
  }

  /// A path of one rectangle with elliptic corners. The radii are limited to half the sides, where Core Graphics stops the program.
  public convenience init(
    roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: UnsafePointer<CGAffineTransform>?
  ) {
    self.init(transform) { $0.addRoundedRect(rect, radii: CGSize(width: cornerWidth, height: cornerHeight)) }
  }

  private convenience init(_ transform: UnsafePointer<CGAffineTransform>?, _ build: (inout PathData) -> Void) {
    var data = PathData()
    build(&data)
    self.init(data: transform.map { data.applying($0.pointee) } ?? data)
  }

  /// Whether the path has no elements.
  public var isEmpty: Bool { data.isEmpty }

  /// Where the next segment would begin; the origin if the path is empty.
  public var currentPoint: CGPoint { data.current ?? .zero }

  /// The smallest rectangle that encloses all points, the control points of curves included. The null rectangle if there are no segments.
  public var boundingBox: CGRect { data.controlBounds }

  /// The smallest rectangle that encloses the lines and curves themselves. The null rectangle if there are no segments.
  public var boundingBoxOfPath: CGRect { data.bounds }

  /// Whether a fill of the path by `rule` paints the point. Open subpaths count as closed, as they do in a fill.
  ///
  /// - Parameter transform: Applied to the point, not to the path.
  public func contains(_ point: CGPoint, using rule: CGPathFillRule = .winding, transform: CGAffineTransform = .identity) -> Bool {
    data.contains(point.applying(transform), rule: rule)
  }

  /// Whether the path is a rectangle along the axes, which is written to `rect`.
  public func isRect(_ rect: UnsafeMutablePointer<CGRect>?) -> Bool {
    let subpaths = data.subpaths
    guard let subpath = subpaths.first, subpaths.count == 1 else { return false }
    var corners = [subpath.start]
    for segment in subpath.segments {
      guard case .line(let point) = segment else { return false }
      corners.append(point)
    }
    if corners.count == 5, corners[4] == corners[0] { corners.removeLast() } else if !subpath.isClosed { return false }
    guard corners.count == 4 else { return false }
    let alongX =
      corners[0].y == corners[1].y && corners[1].x == corners[2].x && corners[2].y == corners[3].y && corners[3].x == corners[0].x
    let alongY =
      corners[0].x == corners[1].x && corners[1].y == corners[2].y && corners[2].x == corners[3].x && corners[3].y == corners[0].y
    guard alongX || alongY else { return false }
    rect?.pointee = data.bounds
    return true
  }

  /// Calls the block with each element in order.
  public func applyWithBlock(_ block: (UnsafePointer<CGPathElement>) -> Void) {
    for segment in data.segments {
      var points = segment.points
      // A close has no points, but `CGPathElement.points` must point to memory.
      if points.isEmpty { points.append(.zero) }
      points.withUnsafeMutableBufferPointer { buffer in
        guard let address = buffer.baseAddress else { return }
        withUnsafePointer(to: CGPathElement(type: segment.type, points: address), block)
      }
    }
  }

  public static func == (left: CGPath, right: CGPath) -> Bool { left.data == right.data }

  public func hash(into hasher: inout Hasher) { hasher.combine(data) }
}

extension PathSegment {
  fileprivate var type: CGPathElementType {
    switch self {
    case .move: .moveToPoint
    case .line: .addLineToPoint
    case .quad: .addQuadCurveToPoint
    case .curve: .addCurveToPoint
    case .close: .closeSubpath
    }
  }
}
