import BackgroundTransfers
import LoadingModel

/// Tasks that background sessions don't support. Apple raises exceptions for them; here such a task ends with an error that says so.
enum BackgroundRefusals {
  static func refusal(_ task: URLSessionTask, _ delivery: TaskDelivery) -> LoadError? {
    if task is URLSessionStreamTask || task is URLSessionWebSocketTask {
      return refusal("background sessions have no stream and WebSocket tasks: use a session of the default configuration")
    }
    switch delivery {
    case .delegate: break
    case .completion, .file:
      return refusal("background sessions take no completion handlers, which end with the process: implement the session's delegate")
    case .awaited, .continuation, .fileContinuation, .bytes:
      return refusal("background sessions have no async forms, whose callers end with the process: implement the session's delegate")
    }
    guard task.fields.withLock({ $0.delegate == nil }) else {
      return taskDelegate
    }
    guard let request = task.firstRequest, let scheme = request.url?.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
      return LoadError(.unsupportedURL, .admission, "background sessions load http and https URLs only")
    }
    switch request.body {
    case .stream, .suppliedStream, .pieces:
      return refusal("background sessions send no body streams, which end with the process: upload the body from a file")
    case .parts:
      return refusal("background sessions send no forms put together in this process: write the form to a file, and upload that")
    case .none, .data, .file: return nil
    }
  }

  static let taskDelegate = refusal(
    "background sessions have no delegates of single tasks, which end with the process: implement the session's delegate")

  static let noDelegate = refusal(
    "background sessions need a delegate, which is told of transfers that end while the app isn't running")

  static func sessionInUse(_ identifier: String) -> LoadError {
    LoadError(
      .backgroundSessionInUseByAnotherProcess, .admission,
      "this process has a session with the identifier “\(identifier)” already; use that one, or invalidate it first")
  }

  private static func refusal(_ text: String) -> LoadError { LoadError(.unknown, .admission, text) }
}

extension LoadError {
  /// Converts the daemon's refusal, or the failure to reach it, into a load error.
  init(_ refusal: Refusal) {
    let kind: Kind =
      switch refusal.reason {
      case .sessionInUse: .backgroundSessionInUseByAnotherProcess
      case .version, .badMessage, .storage: .backgroundSessionWasDisconnected
      }
    self.init(kind, .admission, refusal.text)
  }
}
