import Foundation

/// How a task delivers what it loads.
enum TaskDelivery: Sendable {
  /// Piece by piece to the delegate.
  case delegate
  /// Whole, to a completion handler on the delegate queue.
  case completion(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
  /// Whole, to an async caller that will come with a continuation.
  case awaited
  /// Whole, to an async caller.
  case continuation(UnsafeContinuation<(Data, URLResponse), any Error>)
  /// Piece by piece to a reader of bytes.
  case bytes(BodyChunks)
  /// As a file, to a completion handler on the delegate queue, which may take it.
  case file(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
  /// As a file, to an async caller, which owns it then.
  case fileContinuation(UnsafeContinuation<(URL, URLResponse), any Error>)

  /// Whether the app's code makes the task, on a thread of its own choice: an async caller may be on any.
  var hasCaller: Bool {
    switch self {
    case .delegate, .completion, .file: true
    case .awaited, .continuation, .bytes, .fileContinuation: false
    }
  }

  /// Whether a load without a response can't be delivered: its result, of an async function, isn't optional.
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
