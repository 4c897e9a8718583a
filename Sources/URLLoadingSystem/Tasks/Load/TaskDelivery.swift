import Foundation

/// How a task delivers what it loads.
enum TaskDelivery: Sendable {
  /// Piece by piece to the delegate.
  case delegate
  /// Whole, to a completion handler on the delegate queue.
  case completion(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
  /// Whole, to an async caller whose continuation hasn't been set yet.
  case awaited
  /// Whole, to an async caller that waits with this continuation.
  case continuation(UnsafeContinuation<(Data, URLResponse), any Error>)
  /// Piece by piece, to the reader of an `AsyncBytes` or `AsyncChunks` sequence.
  case bytes(BodyChunks)
  /// As a file, to a completion handler on the delegate queue. The handler may move the file, which is removed when it returns.
  case file(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
  /// As a file, to an async caller, which owns the file from then on.
  case fileContinuation(UnsafeContinuation<(URL, URLResponse), any Error>)

  /// Whether the app creates the task on a thread that it chose itself, whose current progress counts; an async function may run on any thread.
  var hasCaller: Bool {
    switch self {
    case .delegate, .completion, .file: true
    case .awaited, .continuation, .bytes, .fileContinuation: false
    }
  }

  /// Whether a load that succeeds without a response must fail: the result of an async function has a response that isn't optional.
  var requiresResponse: Bool {
    switch self {
    case .awaited, .continuation, .bytes, .fileContinuation: true
    case .delegate, .completion, .file: false
    }
  }

  var collects: Bool {
    switch self {
    case .completion, .awaited, .continuation: true
    case .delegate, .bytes, .file, .fileContinuation: false
    }
  }
}
