import Foundation

/// A subpath whose curves have been flattened to lines.
struct Polyline {
  var points: [CGPoint]
  var isClosed: Bool
  /// For each point, whether it lies inside of a flattened curve: its two lines meet at an angle that is no corner of the path.
  var isSmooth: [Bool]
}

extension PathData {
  /// The default tolerance of flattening: a hundred-thousandth of the path's extent, which can't be seen when the whole path is visible.
  var defaultFlatness: CGFloat {
    let box = controlBounds
    let extent = max(box.width, box.height)
    return extent.isFinite && extent > 0 ? extent * 1e-5 : 1e-3
  }

  /// The subpaths with their curves flattened to lines.
  ///
  /// - Parameter flatness: The largest distance of the lines from the curves, in the path's units.
  func flattened(within flatness: CGFloat) -> [Polyline] {
    subpaths.map { subpath in
      var line = Polyline(points: [subpath.start], isClosed: subpath.isClosed, isSmooth: [false])
      for segment in subpath.segments { line.append(segment, within: flatness) }
      return line
    }
  }
}

extension Polyline {
  /// The largest number of lines that one curve is flattened to.
  private static let mostPieces: CGFloat = 1000

  /// Appends a path segment that begins at the polyline's last point, flattened if it is a curve.
  fileprivate mutating func append(_ segment: PathSegment, within flatness: CGFloat) {
    let begin = points[points.count - 1]
    switch segment {
    case .move, .close: break
    case .line(let point): append(point, isSmooth: false)
    case .quad(let control, let end):
      append(pieces: Self.bend(begin, control, end) / (4 * flatness)) { Bezier.point(begin, control, end, at: $0) }
    case .curve(let control1, let control2, let end):
      let bend = max(Self.bend(begin, control1, control2), Self.bend(control1, control2, end))
      append(pieces: 0.75 * bend / flatness) { Bezier.point(begin, control1, control2, end, at: $0) }
    }
  }

  /// Appends a curve as √`square` lines: the error of flattening falls with the square of the number of lines. `point` maps 0…1 to the curve.
  private mutating func append(pieces square: CGFloat, point: (CGFloat) -> CGPoint) {
    let count = max(1, min(square.squareRoot().rounded(.up), Self.mostPieces))
    guard count.isFinite else { return append(point(1), isSmooth: false) }
    for piece in 1...Int(count) {
      append(point(CGFloat(piece) / count), isSmooth: piece < Int(count))
    }
  }

  private mutating func append(_ point: CGPoint, isSmooth smooth: Bool) {
    guard point.isFinite else { return }
    points.append(point)
    isSmooth.append(smooth)
  }

  /// The length of the second difference of three control points, which bounds a curve's distance from its chord.
  private static func bend(_ p0: CGPoint, _ p1: CGPoint, _ p2: CGPoint) -> CGFloat {
    hypot(p0.x - 2 * p1.x + p2.x, p0.y - 2 * p1.y + p2.y)
  }
}
