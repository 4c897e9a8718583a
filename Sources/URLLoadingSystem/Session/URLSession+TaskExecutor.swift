import LoadingModel

extension URLSession {
  /// The thread on which the session does its work, for tasks that are to stay on it. An addition to Apple's API.
  ///
  /// A load that is awaited changes threads twice: from the app's task to the session's event loop, and back. A task that prefers this executor
  /// runs on the event loop itself, so that neither change takes place:
  ///
  ///     try await withTaskExecutorPreference(session.taskExecutor) {
  ///       let (data, _) = try await session.data(from: url)
  ///       …
  ///     }
  ///
  /// Whatever such a task does between its awaits holds up all loads of the session and of the other sessions on the same event loop: it must
  /// not block, and should not compute for long. Actors and functions with an isolation of their own run elsewhere, as always.
  public var taskExecutor: any TaskExecutor { engine.executor }
}
