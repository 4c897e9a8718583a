import HTTPTransport

#if Tracing
  import Tracing
#endif

/// Observes a session's loads for logs, metrics, tracing and recordings.
///
/// Made with its session, and shared by the session's tasks. Called on any thread.
protocol SessionObserver: AnyObject, Sendable {
  /// Makes the observer of one load, which `task` is about to start; nil if neither log, metrics, tracing nor recording is on.
  func observe(_ task: any ObservedTask, _ context: LoadContext) -> (any LoadObserver)?
}

/// The properties of a task that log lines, spans and recordings show. Thread-safe.
protocol ObservedTask: AnyObject, Sendable {
  var taskIdentifier: Int { get }
  /// The task's kind in one word, such as "data" or "upload".
  var kindName: String { get }
  var taskDescription: String? { get }
  #if Tracing
    /// The tracing context of the code that made the task: the parent of the task's span.
    var callerContext: ServiceContext? { get }
  #endif
}
