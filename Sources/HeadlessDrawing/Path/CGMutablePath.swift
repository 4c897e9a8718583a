import Foundation

/// A path that can be changed. A method's `transform` is applied to the points that the method adds.
public final class CGMutablePath: CGPath {
  /// An empty path.
  public init() { super.init(data: PathData()) }

  override init(data: PathData) { super.init(data: data) }

  /// Begins a subpath at a point.
  public func move(to point: CGPoint, transform: CGAffineTransform = .identity) { data.move(to: point.applying(transform)) }

  /// Adds a line from the current point.
  public func addLine(to point: CGPoint, transform: CGAffineTransform = .identity) { data.addLine(to: point.applying(transform)) }

  /// Adds a quadratic curve from the current point.
  public func addQuadCurve(to end: CGPoint, control: CGPoint, transform: CGAffineTransform = .identity) {
    data.append(PathSegment.quad(control: control, end: end).applying(transform))
  }

  /// Adds a cubic curve from the current point.
  public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint, transform: CGAffineTransform = .identity) {
    data.append(PathSegment.curve(control1: control1, control2: control2, end: end).applying(transform))
  }

  /// Closes the current subpath with a line to its start, which becomes the current point.
  public func closeSubpath() { data.close() }

  /// Begins a subpath at the first of the points and adds lines to the others.
  public func addLines(between points: [CGPoint], transform: CGAffineTransform = .identity) {
    for (index, point) in points.enumerated() {
      if index == 0 { move(to: point, transform: transform) } else { addLine(to: point, transform: transform) }
    }
  }

  /// Adds a rectangle as a closed subpath.
  public func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) { add(transform) { $0.addRect(rect) } }

  /// Adds rectangles as closed subpaths.
  public func addRects(_ rects: [CGRect], transform: CGAffineTransform = .identity) {
    for rect in rects { addRect(rect, transform: transform) }
  }

  /// Adds a rectangle with elliptic corners as a closed subpath. The radii are limited to half the sides, where Core Graphics stops the
  /// program.
  public func addRoundedRect(
    in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: CGAffineTransform = .identity
  ) {
    add(transform) { $0.addRoundedRect(rect, radii: CGSize(width: cornerWidth, height: cornerHeight)) }
  }

  /// Adds an ellipse inside of a rectangle as a closed subpath.
  public func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) { add(transform) { $0.addEllipse(in: rect) } }

  /// Adds an arc of a circle, with a line from the current point to the arc's beginning if there is a current point.
  ///
  /// - Parameters:
  ///   - startAngle: In radians, from the positive x axis towards the positive y axis.
  ///   - clockwise: Whether the angle decreases along the arc, which is clockwise where y grows upwards. Where y grows downwards, as in a context of
  ///     UIKit, such an arc is drawn counterclockwise; `UIBezierPath` has the parameter the other way round.
  public func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool, transform: CGAffineTransform = .identity
  ) {
    let delta = PathData.sweep(from: startAngle, to: endAngle, increasing: !clockwise)
    data.addArc(center: center, radius: radius, startAngle: startAngle, delta: delta, transform: transform)
  }

  /// Adds an arc of a circle that sweeps `delta` radians, with a line from the current point to its beginning if there is one.
  public func addRelativeArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, delta: CGFloat, transform: CGAffineTransform = .identity
  ) {
    data.addArc(center: center, radius: radius, startAngle: startAngle, delta: delta, transform: transform)
  }

  /// Adds an arc that touches the line from the current point to `tangent1End` and the line from there to `tangent2End`, with a line to
  /// its beginning.
  public func addArc(tangent1End: CGPoint, tangent2End: CGPoint, radius: CGFloat, transform: CGAffineTransform = .identity) {
    guard let inverse = transform.inverse, let current = data.current?.applying(inverse) else { return }
    var arc = PathData()
    arc.move(to: current)
    arc.addArc(corner: tangent1End, end: tangent2End, radius: radius)
    for segment in arc.segments.dropFirst() { data.append(segment.applying(transform)) }
  }

  /// Adds the elements of another path.
  public func addPath(_ path: CGPath, transform: CGAffineTransform = .identity) { data.append(path.data, transform: transform) }

  private func add(_ transform: CGAffineTransform, _ build: (inout PathData) -> Void) {
    var added = PathData()
    build(&added)
    data.append(added, transform: transform)
  }
}
