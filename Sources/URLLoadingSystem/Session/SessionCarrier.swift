import BackgroundTransfers
import Foundation
import LoadingModel

/// What carries a session's uploads and downloads in the place of this process: for a background session, the link to the daemon.
///
/// Its session's. Thread-safe.
protocol SessionCarrier: AnyObject, Sendable {
  /// Why the session can't be used; nil if it can.
  var failure: LoadError? { get }
  /// Begins to attach `session`, which is complete.
  func begin(for session: URLSession)
  /// The session is no more, or has been invalidated.
  func end()
  /// Waits until identifiers of new tasks are known.
  func waitForAttachment()
  /// Calls `action`, at once or on any thread, when it is known what there is from before.
  func afterAttachment(_ action: @escaping @Sendable () -> Void)
  /// A new task of the session: carried, refused, or left to this process.
  ///
  /// - Parameter resumeData: What an earlier task left, if this one resumes it.
  func admit(_ task: URLSessionTask, _ delivery: TaskDelivery, resumeData: Data?)
  /// The app wants a task to run, to wait or to end.
  func handOver(_ task: URLSessionTask)
  /// The app has changed a task.
  func change(_ task: URLSessionTask, _ change: (inout TransferChange) -> Void)
  /// The app has given a task a delegate of its own, which would end with the process.
  func refuseDelegate(of task: URLSessionTask)
  /// Ends every task with `URLError.cancelled`.
  func cancelAll(_ session: URLSession)
  /// The session takes no more tasks.
  func finish()
}

extension SessionCarrier {
  func admit(_ task: URLSessionTask, _ delivery: TaskDelivery) { admit(task, delivery, resumeData: nil) }
}
