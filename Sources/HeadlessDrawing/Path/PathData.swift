import Foundation

/// The geometry of a path: what `CGPath`, `UIBezierPath` and a context's current path hold.
///
/// A segment with a number that isn't finite is left out, and so is one that needs a current point where there is none, as Core Graphics
/// does after a message.
struct PathData: Hashable, Sendable {
  private(set) var segments: [PathSegment] = []
  /// Where the current subpath began.
  private var start: CGPoint?
  /// Where the next segment begins; nil in an empty path.
  private(set) var current: CGPoint?

  var isEmpty: Bool { segments.isEmpty }

  mutating func move(to point: CGPoint) { append(.move(point)) }

  mutating func addLine(to point: CGPoint) { append(.line(point)) }

  mutating func close() { append(.close) }

  mutating func append(_ segment: PathSegment) {
    guard segment.isFinite else { return }
    if case .move(let point) = segment {
      start = point
    } else if current == nil {
      return
    }
    // A second close in a row changes nothing.
    if segment == .close, segments.last == .close { return }
    current = segment.end ?? start
    segments.append(segment)
  }

  mutating func append(_ other: PathData, transform: CGAffineTransform = .identity) {
    for segment in other.segments { append(transform.isIdentity ? segment : segment.applying(transform)) }
  }

  func applying(_ transform: CGAffineTransform) -> PathData {
    var result = PathData()
    result.append(self, transform: transform)
    return result
  }

  /// Lines to the point, or a move where the path is empty.
  mutating func join(_ point: CGPoint) {
    if current == nil { move(to: point) } else { addLine(to: point) }
  }
}

extension PathData {
  /// A run of connected segments.
  struct Subpath {
    var start: CGPoint
    /// The segments after `start`, without moves and closes.
    var segments: [PathSegment] = []
    var isClosed = false
  }

  /// The path's subpaths. What follows a close without a move begins a new one at the same start.
  var subpaths: [Subpath] {
    var result: [Subpath] = []
    var open: Subpath?
    var start = CGPoint.zero
    for segment in segments {
      switch segment {
      case .move(let point):
        if let open { result.append(open) }
        start = point
        open = Subpath(start: point)
      case .close:
        var closed = open ?? Subpath(start: start)
        closed.isClosed = true
        result.append(closed)
        open = nil
      case .line, .quad, .curve:
        var continued = open ?? Subpath(start: start)
        continued.segments.append(segment)
        open = continued
      }
    }
    if let open { result.append(open) }
    return result
  }

  /// The same lines and curves, drawn from their ends to their beginnings, the last subpath first.
  var reversed: PathData {
    var result = PathData()
    for subpath in subpaths.reversed() {
      var ends = [subpath.start]
      ends += subpath.segments.compactMap(\.end)
      result.move(to: ends[ends.count - 1])
      for (index, segment) in subpath.segments.enumerated().reversed() {
        switch segment {
        case .quad(let control, _): result.append(.quad(control: control, end: ends[index]))
        case .curve(let control1, let control2, _):
          result.append(.curve(control1: control2, control2: control1, end: ends[index]))
        case .move, .line, .close: result.addLine(to: ends[index])
        }
      }
      if subpath.isClosed { result.close() }
    }
    return result
  }
}
