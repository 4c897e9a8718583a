import Foundation

extension PathData {
  /// The smallest rectangle that encloses the lines and curves, or the null rectangle if there are none. Moves without a segment after
  /// them don't count.
  var bounds: CGRect { box(includesControlPoints: false) }

  /// Like ``bounds``, but enclosing the curves' control points as well.
  var controlBounds: CGRect { box(includesControlPoints: true) }

  private func box(includesControlPoints: Bool) -> CGRect {
    var box = PointBox()
    for subpath in subpaths where !subpath.segments.isEmpty || subpath.isClosed {
      var begin = subpath.start
      box.enclose(begin)
      for segment in subpath.segments {
        let points = segment.points
        if includesControlPoints { points.forEach { box.enclose($0) } } else { box.enclose(segment, from: begin) }
        begin = points.last ?? begin
      }
    }
    return box.rect
  }
}
