import BackgroundTransfers
import Foundation
import LoadingModel

/// Runs a session's tasks in another process: for a background session, its connection to the daemon.
///
/// Owned by its session. Thread-safe.
protocol SessionCarrier: AnyObject, Sendable {
  /// Why the session can't be used; nil if it can.
  var failure: LoadError? { get }
  /// Begins to connect to the daemon and fetch the tasks of earlier processes; called when `session` is fully initialised.
  func begin(for session: URLSession)
  /// Closes the connection to the daemon: the session has been deallocated, or has become invalid.
  func end()
  /// Blocks until the daemon has told which task identifiers are taken.
  func waitForAttachment()
  /// Calls `action`, at once or later on any thread, as soon as the tasks of earlier processes are known.
  func afterAttachment(_ action: @escaping @Sendable () -> Void)
  /// Takes a new task of the session: the daemon carries it, it is refused with an error, or it is left to this process.
  ///
  /// - Parameter resumeData: The resume data of an earlier task, if this one resumes it.
  func admit(_ task: URLSessionTask, _ delivery: TaskDelivery, resumeData: Data?)
  /// Tells the daemon a task's state after `resume()`, `suspend()` or `cancel()`; the first time, gives it the task.
  func handOver(_ task: URLSessionTask)
  /// Tells the daemon a property of a task that the app has changed, such as its priority.
  func change(_ task: URLSessionTask, _ change: (inout TransferChange) -> Void)
  /// Fails a task to which the app has given a delegate of its own: such a delegate would be lost when the process ends.
  func refuseDelegate(of task: URLSessionTask)
  /// Ends every task that the daemon carries with `URLError.cancelled`.
  func cancelAll(_ session: URLSession)
  /// Tells the daemon that the session takes no more tasks.
  func finish()
}

extension SessionCarrier {
  func admit(_ task: URLSessionTask, _ delivery: TaskDelivery) { admit(task, delivery, resumeData: nil) }
}
