import HTTPTransport

/// Where what happens to a session's loads is written, counted, traced or recorded.
///
/// Made with its session, and shared by the session's tasks. Called on any thread.
protocol SessionObserver: AnyObject, Sendable {
  /// What observes the load of `context`, which `task` is about to start; nil where nothing is on.
  func observe(_ task: URLSessionTask, _ context: LoadContext) -> (any LoadObserver)?
}
