import HTTPTransport
import LoadingModel

/// Records what tasks send and receive; the product URLLoadingInspector has one. Called on any thread.
package protocol TransferRecording: AnyObject, Sendable {
  /// Makes the observer of one load, which `task` is about to start; nil if that load isn't recorded.
  func observer(of task: RecordedTask, _ context: LoadContext) -> (any LoadObserver & ContentObserver)?
}

/// The properties of a task that a recording contains.
package struct RecordedTask: Sendable {
  /// The session's number in its process; `identifier` is the task's in its session.
  package let session: Int
  package let identifier: Int
  /// "data", "upload", "download", "webSocket" or "stream".
  package let kind: String
  package let description: String?

  init(_ task: any ObservedTask, session: Int) {
    (self.session, identifier, kind, description) = (session, task.taskIdentifier, task.kindName, task.taskDescription)
  }

  package init(session: Int, identifier: Int, kind: String, description: String?) {
    (self.session, self.identifier, self.kind, self.description) = (session, identifier, kind, description)
  }
}
