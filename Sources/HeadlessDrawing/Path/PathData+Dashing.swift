import Foundation

extension PathData {
  /// The dashes of the path as separate subpaths of lines; the path itself if the style has no dashes.
  func dashed(by style: StrokeStyle, flatness: CGFloat) -> PathData {
    let box = bounds
    guard let dashes = style.dashes(forExtent: max(box.width, box.height)) else { return self }
    var result = PathData()
    for line in flattened(within: flatness) {
      var pen = DashPen(dashes: dashes, phase: style.dashPhase)
      pen.begin(at: line.points[0], in: &result)
      let ends = line.points.dropFirst() + (line.isClosed ? [line.points[0]] : [])
      for end in ends { pen.draw(to: end, in: &result) }
    }
    return result
  }
}

/// Draws the dashes along one polyline: keeps its position in the dash pattern from one line to the next.
private struct DashPen {
  private let dashes: [CGFloat]
  private var index = 0
  /// The length that is still to be drawn of the current dash or gap.
  private var rest: CGFloat
  private var position = CGPoint.zero

  init(dashes: [CGFloat], phase: CGFloat) {
    self.dashes = dashes
    let sum = dashes.reduce(0, +)
    var offset = phase.truncatingRemainder(dividingBy: sum)
    if offset < 0 { offset += sum }
    while index < dashes.count - 1, offset >= dashes[index] {
      offset -= dashes[index]
      index += 1
    }
    rest = max(0, dashes[index] - offset)
  }

  private var isDown: Bool { index.isMultiple(of: 2) }

  mutating func begin(at point: CGPoint, in path: inout PathData) {
    position = point
    if isDown { path.move(to: point) }
  }

  mutating func draw(to end: CGPoint, in path: inout PathData) {
    let begin = position
    let length = hypot(end.x - begin.x, end.y - begin.y)
    guard length > 0, length.isFinite else { return }
    var drawn: CGFloat = 0
    while length - drawn > rest {
      drawn += rest
      position = CGPoint(x: begin.x + (end.x - begin.x) * drawn / length, y: begin.y + (end.y - begin.y) * drawn / length)
      if isDown { path.addLine(to: position) }
      index = (index + 1) % dashes.count
      rest = dashes[index]
      if isDown { path.move(to: position) }
    }
    rest -= length - drawn
    position = end
    if isDown { path.addLine(to: end) }
  }
}
