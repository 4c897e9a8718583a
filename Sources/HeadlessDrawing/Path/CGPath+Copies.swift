import Foundation

extension CGPath {
  /// An immutable copy of the path.
  public func copy() -> CGPath? { CGPath(data: data) }

  /// An immutable copy of the path whose points are transformed; nil as `transform` copies them unchanged.
  public func copy(using transform: UnsafePointer<CGAffineTransform>?) -> CGPath? {
    CGPath(data: transform.map { data.applying($0.pointee) } ?? data)
  }

  /// A mutable copy of the path.
  public func mutableCopy() -> CGMutablePath? { CGMutablePath(data: data) }

  /// A mutable copy of the path whose points are transformed; nil as `transform` copies them unchanged.
  public func mutableCopy(using transform: UnsafePointer<CGAffineTransform>?) -> CGMutablePath? {
    CGMutablePath(data: transform.map { data.applying($0.pointee) } ?? data)
  }

  /// The outline of a stroke of this path, to be filled by the winding rule.
  ///
  /// It encloses the area of Core Graphics' outline, but by other elements: curves are flattened, and the polygons of lines, joins and caps overlap.
  public func copy(
    strokingWithWidth lineWidth: CGFloat, lineCap: CGLineCap, lineJoin: CGLineJoin, miterLimit: CGFloat,
    transform: CGAffineTransform = .identity
  ) -> CGPath {
    let style = StrokeStyle(width: lineWidth, cap: lineCap, join: lineJoin, miterLimit: miterLimit)
    return CGPath(data: data.applying(transform).stroked(by: style))
  }

  /// The dashes of this path as separate subpaths, with curves flattened to lines.
  ///
  /// - Parameters:
  ///   - phase: How far into the pattern the path begins.
  ///   - lengths: The lengths of dashes and gaps in turn. The path isn't dashed if one is negative or all are zero.
  public func copy(dashingWithPhase phase: CGFloat, lengths: [CGFloat], transform: CGAffineTransform = .identity) -> CGPath {
    let path = data.applying(transform)
    return CGPath(data: path.dashed(by: StrokeStyle(dashPhase: phase, dashLengths: lengths), flatness: path.defaultFlatness))
  }

  /// This path with its curves flattened to lines.
  ///
  /// - Parameter threshold: The largest distance of the lines from the curves, in the path's units.
  public func flattened(threshold: CGFloat) -> CGPath {
    var result = PathData()
    for line in data.flattened(within: threshold > 0 ? threshold : data.defaultFlatness) {
      result.move(to: line.points[0])
      for point in line.points.dropFirst() { result.addLine(to: point) }
      if line.isClosed { result.close() }
    }
    return CGPath(data: result)
  }
}
