import Foundation

extension PathData {
  /// The outline of the path's stroke, as polygons of the same orientation that may overlap: to be filled by the winding rule.
  func stroked(by style: StrokeStyle) -> PathData {
    guard let width = style.drawableWidth else { return PathData() }
    let flatness = min(defaultFlatness, width / 100)
    var outline = StrokeOutline(style: style, radius: width / 2)
    for line in dashed(by: style, flatness: flatness).flattened(within: flatness) { outline.add(line) }
    return outline.path
  }
}

/// Collects the polygons that make up a stroke: one for each line, each corner and each end.
private struct StrokeOutline {
  let style: StrokeStyle
  let radius: CGFloat
  var path = PathData()

  mutating func add(_ line: Polyline) {
    var (points, smooth) = ([CGPoint](), [Bool]())
    for (point, isSmooth) in zip(line.points, line.isSmooth) where points.last != point {
      points.append(point)
      smooth.append(isSmooth)
    }
    if line.isClosed, points.count > 1, points.first == points.last {
      points.removeLast()
      smooth.removeLast()
    }
    guard points.count > 1 else { return addDot(points[0], isClosed: line.isClosed, hasLine: line.points.count > 1) }
    let count = line.isClosed ? points.count : points.count - 1
    for index in 0..<count { addLine(from: points[index], to: points[(index + 1) % points.count]) }
    for index in points.indices where line.isClosed || (index > 0 && index < points.count - 1) {
      let before = points[(index + points.count - 1) % points.count]
      addJoin(before, points[index], points[(index + 1) % points.count], style: smooth[index] ? .bevel : style.join)
    }
    guard !line.isClosed else { return }
    addCap(at: points[0], from: points[1])
    addCap(at: points[points.count - 1], from: points[points.count - 2])
  }

  /// Adds the stroke of a subpath whose points are all equal: a circle or square by the line cap, as Core Graphics draws it; nothing for `butt`.
  private mutating func addDot(_ point: CGPoint, isClosed: Bool, hasLine: Bool) {
    guard isClosed || hasLine else { return }
    switch style.cap {
    case .butt: break
    case .round: addCircle(point)
    case .square: path.addRect(CGRect(x: point.x - radius, y: point.y - radius, width: 2 * radius, height: 2 * radius))
    }
  }

  private mutating func addLine(from begin: CGPoint, to end: CGPoint) {
    let side = normal(begin, end)
    addPolygon([
      CGPoint(x: begin.x + side.dx, y: begin.y + side.dy), CGPoint(x: end.x + side.dx, y: end.y + side.dy),
      CGPoint(x: end.x - side.dx, y: end.y - side.dy), CGPoint(x: begin.x - side.dx, y: begin.y - side.dy),
    ])
  }

  private mutating func addJoin(_ before: CGPoint, _ corner: CGPoint, _ after: CGPoint, style join: CGLineJoin) {
    if join == .round { return addCircle(corner) }
    var (first, second) = (normal(before, corner), normal(corner, after))
    let turn = first.dx * second.dy - first.dy * second.dx
    if turn > 0 {
      // `turn` is positive: the outer side of the corner, where the join belongs, is opposite to the normals.
      (first, second) = (CGVector(dx: -first.dx, dy: -first.dy), CGVector(dx: -second.dx, dy: -second.dy))
    }
    var polygon = [
      corner, CGPoint(x: corner.x + first.dx, y: corner.y + first.dy), CGPoint(x: corner.x + second.dx, y: corner.y + second.dy),
    ]
    // `half` is the cosine of half the angle between the normals. Its inverse is the ratio of the miter's length to the line's width.
    let cosine = (first.dx * second.dx + first.dy * second.dy) / (radius * radius)
    let half = max(0, (1 + cosine) / 2).squareRoot()
    if join == .miter, half * style.drawableMiterLimit >= 1 {
      let scale = 1 / (2 * half * half)
      polygon.insert(
        CGPoint(x: corner.x + (first.dx + second.dx) * scale, y: corner.y + (first.dy + second.dy) * scale), at: 2)
    }
    addPolygon(polygon)
  }

  private mutating func addCap(at point: CGPoint, from other: CGPoint) {
    switch style.cap {
    case .butt: break
    case .round: addCircle(point)
    case .square:
      let side = normal(other, point)
      addLine(from: point, to: CGPoint(x: point.x + side.dy, y: point.y - side.dx))
    }
  }

  private mutating func addCircle(_ center: CGPoint) {
    path.addEllipse(in: CGRect(x: center.x - radius, y: center.y - radius, width: 2 * radius, height: 2 * radius))
  }

  /// The vector at a right angle to a line whose length is half the stroke's width.
  private func normal(_ begin: CGPoint, _ end: CGPoint) -> CGVector {
    let length = hypot(end.x - begin.x, end.y - begin.y)
    return CGVector(dx: -(end.y - begin.y) / length * radius, dy: (end.x - begin.x) / length * radius)
  }

  /// Adds a polygon, its points reversed if necessary so that it has the orientation of the ellipses and rectangles of the outline.
  private mutating func addPolygon(_ points: [CGPoint]) {
    var area: CGFloat = 0
    for (index, point) in points.enumerated() {
      let next = points[(index + 1) % points.count]
      area += point.x * next.y - point.y * next.x
    }
    for (index, point) in (area < 0 ? points.reversed() : points).enumerated() {
      if index == 0 { path.move(to: point) } else { path.addLine(to: point) }
    }
    path.close()
  }
}
