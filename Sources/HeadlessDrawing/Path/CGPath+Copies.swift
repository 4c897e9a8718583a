import Foundation

extension CGPath {
  /// A path of the same elements that doesn't change.
  public func copy() -> CGPath? { CGPath(data: data) }

  /// A path of the same elements under a transform.
  public func copy(using transform: UnsafePointer<CGAffineTransform>?) -> CGPath? {
    CGPath(data: transform.map { data.applying($0.pointee) } ?? data)
  }

  /// A path of the same elements that can be added to.
  public func mutableCopy() -> CGMutablePath? { CGMutablePath(data: data) }

  /// A path of the same elements under a transform that can be added to.
  public func mutableCopy(using transform: UnsafePointer<CGAffineTransform>?) -> CGMutablePath? {
    CGMutablePath(data: transform.map { data.applying($0.pointee) } ?? data)
  }

  /// The area that a stroke of this path paints, to be filled by the winding rule.
  ///
  /// The area is Core Graphics', the elements aren't: curves are flattened, and the polygons of lines, joins and caps overlap.
  public func copy(
    strokingWithWidth lineWidth: CGFloat, lineCap: CGLineCap, lineJoin: CGLineJoin, miterLimit: CGFloat,
    transform: CGAffineTransform = .identity
  ) -> CGPath {
    let style = StrokeStyle(width: lineWidth, cap: lineCap, join: lineJoin, miterLimit: miterLimit)
    return CGPath(data: data.applying(transform).stroked(by: style))
  }

  /// The dashes of this path, with curves as lines.
  ///
  /// - Parameters:
  ///   - phase: How far into the pattern the path begins.
  ///   - lengths: The lengths of dashes and gaps in turn. The path stays whole if one is negative or all are zero.
  public func copy(dashingWithPhase phase: CGFloat, lengths: [CGFloat], transform: CGAffineTransform = .identity) -> CGPath {
    let path = data.applying(transform)
    return CGPath(data: path.dashed(by: StrokeStyle(dashPhase: phase, dashLengths: lengths), flatness: path.defaultFlatness))
  }

  /// This path with curves as lines.
  ///
  /// - Parameter threshold: How far the lines may be from the curves.
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
