import Foundation

extension CGContext {
  /// The current path in the user's coordinates; nil if it is empty.
  public var path: CGPath? { isPathEmpty ? nil : userPath.map(CGPath.init) }

  /// Whether the current path has no elements.
  public var isPathEmpty: Bool { currentPath.isEmpty }

  /// Where the current path's next segment would begin; the origin if the path is empty.
  public var currentPointOfPath: CGPoint { userPath?.current ?? .zero }

  /// The box of the current path's lines, curves and control points; the null rectangle if there are none.
  public var boundingBoxOfPath: CGRect { userPath?.controlBounds ?? .null }

  /// Whether drawing the current path with this mode would paint the point, which is in the user's coordinates.
  public func pathContains(_ point: CGPoint, mode: CGPathDrawingMode) -> Bool {
    guard let path = userPath else { return false }
    let isStroked = mode.strokes && path.stroked(by: state.stroke).contains(point, rule: .winding)
    return isStroked || mode.fillRule.map { path.contains(point, rule: $0) } == true
  }

  /// The current path converted to the user's coordinates; nil if ``ctm`` has no inverse.
  private var userPath: PathData? { ctm.inverse.map { currentPath.applying($0) } }

  /// Empties the current path.
  public func beginPath() { currentPath = PathData() }

  /// Closes the current subpath with a line to its start.
  public func closePath() { currentPath.close() }

  /// Begins a subpath at a point.
  public func move(to point: CGPoint) { currentPath.move(to: point.applying(ctm)) }

  /// Adds a line from the current point.
  public func addLine(to point: CGPoint) { currentPath.addLine(to: point.applying(ctm)) }

  /// Begins a subpath at the first of the points and adds lines to the others.
  public func addLines(between points: [CGPoint]) {
    for (index, point) in points.enumerated() {
      if index == 0 { move(to: point) } else { addLine(to: point) }
    }
  }

  /// Adds a quadratic curve from the current point.
  public func addQuadCurve(to end: CGPoint, control: CGPoint) {
    currentPath.append(PathSegment.quad(control: control, end: end).applying(ctm))
  }

  /// Adds a cubic curve from the current point.
  public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
    currentPath.append(PathSegment.curve(control1: control1, control2: control2, end: end).applying(ctm))
  }

  /// Adds a rectangle as a closed subpath.
  public func addRect(_ rect: CGRect) { add { $0.addRect(rect) } }

  /// Adds rectangles as closed subpaths.
  public func addRects(_ rects: [CGRect]) { rects.forEach(addRect) }

  /// Adds an ellipse inside of a rectangle as a closed subpath.
  public func addEllipse(in rect: CGRect) { add { $0.addEllipse(in: rect) } }

  /// Adds an arc of a circle, with a line from the current point to its beginning if there is one.
  ///
  /// - Parameters:
  ///   - startAngle: In radians, from the positive x axis towards the positive y axis.
  ///   - clockwise: Whether the angle decreases on the way: where y grows downwards, the arc is drawn counterclockwise then.
  public func addArc(center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool) {
    let delta = PathData.sweep(from: startAngle, to: endAngle, increasing: !clockwise)
    currentPath.addArc(center: center, radius: radius, startAngle: startAngle, delta: delta, transform: ctm)
  }

  /// Adds an arc that touches the line from the current point to `tangent1End` and the line from there to `tangent2End`, with a line to
  /// its beginning.
  public func addArc(tangent1End: CGPoint, tangent2End: CGPoint, radius: CGFloat) {
    let path = CGMutablePath(data: currentPath)
    path.addArc(tangent1End: tangent1End, tangent2End: tangent2End, radius: radius, transform: ctm)
    currentPath = path.data
  }

  /// Adds the elements of a path.
  public func addPath(_ path: CGPath) { currentPath.append(path.data, transform: ctm) }

  /// Replaces the current path by the outline of its stroke with the current line attributes.
  public func replacePathWithStrokedPath() { currentPath = (userPath ?? PathData()).stroked(by: state.stroke).applying(ctm) }

  private func add(_ build: (inout PathData) -> Void) {
    var added = PathData()
    build(&added)
    currentPath.append(added, transform: ctm)
  }
}

extension CGPathDrawingMode {
  var strokes: Bool {
    switch self {
    case .fill, .eoFill: false
    case .stroke, .fillStroke, .eoFillStroke: true
    }
  }

  /// The fill rule of this mode; nil for `stroke`, which doesn't fill.
  var fillRule: CGPathFillRule? {
    switch self {
    case .fill, .fillStroke: .winding
    case .eoFill, .eoFillStroke: .evenOdd
    case .stroke: nil
    }
  }
}
