import Foundation

/// One step of a path, with absolute points.
enum PathSegment: Hashable, Sendable {
  case move(CGPoint)
  case line(CGPoint)
  case quad(control: CGPoint, end: CGPoint)
  case curve(control1: CGPoint, control2: CGPoint, end: CGPoint)
  case close

  func applying(_ transform: CGAffineTransform) -> PathSegment {
    switch self {
    case .move(let point): .move(point.applying(transform))
    case .line(let point): .line(point.applying(transform))
    case .quad(let control, let end): .quad(control: control.applying(transform), end: end.applying(transform))
    case .curve(let control1, let control2, let end):
      .curve(control1: control1.applying(transform), control2: control2.applying(transform), end: end.applying(transform))
    case .close: .close
    }
  }

  var isFinite: Bool {
    switch self {
    case .move(let point), .line(let point): point.isFinite
    case .quad(let control, let end): control.isFinite && end.isFinite
    case .curve(let control1, let control2, let end): control1.isFinite && control2.isFinite && end.isFinite
    case .close: true
    }
  }

  /// The end point; nil for a close, which ends at the subpath's start.
  var end: CGPoint? {
    switch self {
    case .move(let point), .line(let point): point
    case .quad(_, let end), .curve(_, _, let end): end
    case .close: nil
    }
  }

  /// The control points and the end point.
  var points: [CGPoint] {
    switch self {
    case .move(let point), .line(let point): [point]
    case .quad(let control, let end): [control, end]
    case .curve(let control1, let control2, let end): [control1, control2, end]
    case .close: []
    }
  }
}
