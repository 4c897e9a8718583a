import HTTPTransport

#if Tracing
  import Tracing
#endif

/// Where what happens to a session's loads is written, counted, traced or recorded.
///
/// Made with its session, and shared by the session's tasks. Called on any thread.
protocol SessionObserver: AnyObject, Sendable {
  /// What observes the load of `context`, which `task` is about to start; nil where nothing is on.
  func observe(_ task: any ObservedTask, _ context: LoadContext) -> (any LoadObserver)?
}

/// What log lines, spans and recordings say of a task. Thread-safe.
protocol ObservedTask: AnyObject, Sendable {
  var taskIdentifier: Int { get }
  /// What kind of task it is, in one word.
  var kindName: String { get }
  var taskDescription: String? { get }
  #if Tracing
    /// The context of the code that made the task.
    var callerContext: ServiceContext? { get }
  #endif
}
