import Foundation
import NIOCore

/// How far both sides of a captured connection are.
struct CapturedState {
  enum End {
    case clean
    case failed(any Error)
  }

  /// Bytes on each side before the other has to wait.
  static let limit = 256 * 1024

  var input = Stream.Status.notOpen
  var output = Stream.Status.notOpen
  var unread: ByteBuffer
  /// Why nothing more will come; nil while something may.
  var inputEnd: End?
  /// Why nothing can be written any more.
  var outputEnd: End?
  /// Bytes that have been written and that the system hasn't taken yet.
  var onTheWay = 0
  var inputListener: (@Sendable (Stream.Event) -> Void)?
  var outputListener: (@Sendable (Stream.Event) -> Void)?

  init(unread: ByteBuffer) { self.unread = unread }

  var inputStatus: Stream.Status {
    guard input == .open, unread.readableBytes == 0, let inputEnd else { return input }
    if case .failed = inputEnd { return .error }
    return .atEnd
  }

  var outputStatus: Stream.Status {
    if case .failed? = outputEnd, output == .open { return .error }
    return output
  }

  /// What there is to tell of an open input stream.
  var inputEvents: [Stream.Event] {
    if unread.readableBytes > 0 { return [.hasBytesAvailable] }
    switch inputEnd {
    case .clean?: return [.endEncountered]
    case .failed?: return [.errorOccurred]
    case nil: return []
    }
  }

  /// What there is to tell of an open output stream.
  var outputEvents: [Stream.Event] {
    if case .failed? = outputEnd { return [.errorOccurred] }
    return onTheWay < CapturedState.limit ? [.hasSpaceAvailable] : []
  }
}
