import Foundation
import NIOCore

/// The state of a captured connection's input and output, which `CapturedConnection` guards with a lock.
struct CapturedState {
  enum End {
    case clean
    case failed(any Error)
  }

  /// Bytes that may be buffered in each direction: unread input stops the connection's reading, unsent output blocks the app's writing.
  static let limit = 256 * 1024

  var input = Stream.Status.notOpen
  var output = Stream.Status.notOpen
  var unread: ByteBuffer
  /// How the input ended, with or without an error; nil while more bytes may arrive.
  var inputEnd: End?
  /// The error after which nothing can be written any more; nil while writing is possible.
  var outputEnd: End?
  /// Bytes that the app has written and the socket hasn't taken yet.
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

  /// The events that an open input stream's delegate is to be told now: bytes to read, the end, or an error.
  var inputEvents: [Stream.Event] {
    if unread.readableBytes > 0 { return [.hasBytesAvailable] }
    switch inputEnd {
    case .clean?: return [.endEncountered]
    case .failed?: return [.errorOccurred]
    case nil: return []
    }
  }

  /// The events that an open output stream's delegate is to be told now: room to write, or an error.
  var outputEvents: [Stream.Event] {
    if case .failed? = outputEnd { return [.errorOccurred] }
    return onTheWay < CapturedState.limit ? [.hasSpaceAvailable] : []
  }
}
