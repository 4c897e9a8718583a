import CLoadingProcess
import HTTPTransport
import LoadingModel
import Synchronization

/// Records what tasks send and receive; the product URLLoadingInspector has one. Called on any thread.
package protocol TransferRecording: AnyObject, Sendable {
  /// What observes the load of `context`, which `task` is about to start; nil if that load isn't recorded.
  func observer(of task: RecordedTask, _ context: LoadContext) -> (any LoadObserver & ContentObserver)?
}

/// What a recording says of a task.
package struct RecordedTask: Sendable {
  /// The session's number in its process, and the task's in its session.
  package let session: Int
  package let identifier: Int
  /// "data", "upload", "download", "webSocket" or "stream".
  package let kind: String
  package let description: String?

  init(_ task: URLSessionTask, session: Int) {
    (self.session, identifier, kind, description) = (session, task.taskIdentifier, task.kindName, task.taskDescription)
  }

  package init(session: Int, identifier: Int, kind: String, description: String?) {
    (self.session, self.identifier, self.kind, self.description) = (session, identifier, kind, description)
  }
}

/// The recorder of all sessions of the process. Thread-safe.
package enum TransferRecorders {
  package static let variable = "URL_LOADING_INSPECT"

  private static let isOn = Atomic(false)
  private static let recorder = Mutex<(any TransferRecording)?>(nil)

  /// nil where there is none. A load without one pays for one read of a flag.
  package static var ofProcess: (any TransferRecording)? {
    get { isOn.load(ordering: .relaxed) ? recorder.withLock { $0 } : nil }
    set {
      recorder.withLock { $0 = newValue }
      isOn.store(newValue != nil, ordering: .relaxed)
    }
  }

  /// Has the inspector, where it is linked, read the environment's variable: once, before the process's first session.
  static let readEnvironment: Void = {
    guard let value = ProcessEnvironment.value(variable), !["", "off", "no", "false", "none"].contains(value.lowercased()) else { return }
    if uls_inspect(value) == 0 {
      DiagnosticLines.toStandardError("URLLoadingSystem: \(variable) needs the product URLLoadingInspector, which isn't linked.\n")
    }
  }()
}
