import Foundation

/// The segments of a path: the storage of `CGPath`, `UIBezierPath` and a context's current path.
///
/// `append` ignores a segment with a number that isn't finite, and one that needs a current point when there is none. Core Graphics ignores it too,
/// after a message.
struct PathData: Hashable, Sendable {
  private(set) var segments: [PathSegment] = []
  /// The point at which the current subpath began; nil in an empty path.
  private var start: CGPoint?
  /// The current point, at which the next segment begins; nil in an empty path.
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
    // A second close directly after a close changes nothing, so it isn't stored.
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

  /// Adds a line to the point, or a move if the path is empty.
  mutating func join(_ point: CGPoint) {
    if current == nil { move(to: point) } else { addLine(to: point) }
  }
}

extension PathData {
  /// A sequence of connected segments of a path.
  struct Subpath {
    var start: CGPoint
    /// The segments after `start`, without moves and closes.
    var segments: [PathSegment] = []
    var isClosed = false
  }

  /// The path's subpaths. A segment directly after a close, without a move, begins a new subpath at the start of the closed one.
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

  /// The path in the opposite direction: the last subpath first, each from its end to its beginning.
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
