import Foundation

/// What the daemon says to an app, or to the tool.
package enum DaemonMessage: Codable, Sendable {
  /// The session is the app's. The events it has missed follow, then `caughtUp`.
  case attached(SessionSnapshot)
  /// The session has more tasks than one message holds: the next ones, before any event.
  case moreTasks([TransferState])
  case refused(Refusal)
  /// The task is on disk: it survives whatever happens to either process from now on.
  case created(task: Int)
  /// A task has ended. Told again, at the next attachment, until the app says that it has taken it.
  case event(TransferEvent)
  /// Everything that happened before the app attached has been told.
  case caughtUp
  /// Coalesced: the latest counts.
  case progress(TransferProgress)
  case response(task: Int, Data)
  /// A download goes on from this byte.
  case resumed(task: Int, offset: Int64, expected: Int64)
  case challenge(question: Int64, ChallengeQuestion)
  /// The time of a task with an `earliestBeginDate` has come.
  case delayed(question: Int64, task: Int)
  /// The session that the app has invalidated and cancelled is so on disk.
  case invalidated
  case tool(ToolReply)
}

/// Why the daemon doesn't serve a connection.
package struct Refusal: Codable, Sendable, Error {
  package enum Reason: String, Codable, Sendable {
    /// Another process of the app has the session.
    case sessionInUse
    /// App and daemon are of versions that don't understand each other.
    case version
    /// The message isn't one that the daemon knows, or isn't allowed here.
    case badMessage
    /// The daemon can't keep anything: its disk is full or can't be written.
    case storage
  }

  package var reason: Reason
  /// What was wrong and what to do.
  package var text: String
  /// `WireVersion.current` of the side that refuses; nil if it is of a version that didn't say so.
  package var version: Int? = WireVersion.current

  package init(_ reason: Reason, _ text: String) {
    self.reason = reason
    self.text = text
  }
}

extension Refusal: CustomStringConvertible {
  package var description: String { text }
}

/// What the daemon has of a session when an app attaches.
package struct SessionSnapshot: Codable, Sendable {
  package var version: Int
  /// Above every identifier that a task of the session has had.
  package var nextTask: Int
  /// Those that haven't ended, in the order of their making; if there are many, the rest follows in `moreTasks`.
  package var tasks: [TransferState]
  /// How many events follow.
  package var missedEvents: Int
  /// The queue's identifier of the session, and the folder of its journal of taken events.
  package var session: Int64
  package var journals: String

  package init(
    version: Int = WireVersion.current, session: Int64, journals: String, nextTask: Int, tasks: [TransferState], missedEvents: Int
  ) {
    self.version = version
    self.session = session
    self.journals = journals
    self.nextTask = nextTask
    self.tasks = tasks
    self.missedEvents = missedEvents
  }
}

/// The end of a task.
package struct TransferEvent: Codable, Sendable {
  package var identifier: Int64
  package var task: Int
  /// The task as it was made, for an app that has only now begun; nil if it can't be read any more.
  package var order: TransferOrder?
  /// What kind of task it was, also where nothing else can be read.
  package var kind: TransferOrder.Kind?
  package var outcome: TransferOutcome

  package init(
    identifier: Int64, task: Int, order: TransferOrder? = nil, kind: TransferOrder.Kind? = nil, outcome: TransferOutcome
  ) {
    self.identifier = identifier
    self.task = task
    self.kind = kind
    self.order = order
    self.outcome = outcome
  }
}

extension TransferEvent {
  /// The end of a task that the queue doesn't take. The event isn't kept: its number is none of the queue's, which are positive.
  package init(refusing order: TransferOrder, _ error: ErrorValue) {
    var outcome = TransferOutcome()
    outcome.error = error
    outcome.error?.failingURL = order.shownURL
    self.init(identifier: -Int64(order.task), task: order.task, order: order, kind: order.kind, outcome: outcome)
  }

  /// Whether the queue hasn't taken the task.
  package var isRefusal: Bool { identifier < 0 }
}

/// What became of a transfer.
package struct TransferOutcome: Codable, Sendable {
  /// The last response, archived; nil if none came.
  package var response: Data?
  /// nil after success.
  package var error: ErrorValue?
  /// Path of the file: what was downloaded, or the body of an upload's response. It is the daemon's until the event is taken.
  package var file: String?
  package var sent: Int64 = 0
  package var received: Int64 = 0
  package var expectedToSend: Int64 = 0
  package var expectedToReceive: Int64 = -1
  /// The request of the last redirect, archived; nil if it is the task's own.
  package var currentRequest: Data?
  /// What the app is shown as the task's metrics, in a form of the library's own; nil if there are none.
  package var metrics: Data?

  package init() {}
}

/// An error on its way between two processes: what `URLError` needs to be made again.
package struct ErrorValue: Codable, Sendable {
  package var domain: String
  package var code: Int
  package var description: String
  package var failingURL: String?
  package var reason: String?
  /// For `downloadTask(withResumeData:)` and `uploadTask(withResumeData:)`.
  package var resumeData: Data?
  /// `URLError.BackgroundTaskCancelledReason` by raw value.
  package var cancelledReason: Int?

  package init(domain: String, code: Int, description: String) {
    self.domain = domain
    self.code = code
    self.description = description
  }
}

/// The counts of a running transfer.
package struct TransferProgress: Codable, Sendable {
  package var task: Int
  package var sent: Int64
  package var received: Int64
  package var expectedToSend: Int64
  package var expectedToReceive: Int64

  package init(task: Int, sent: Int64, received: Int64, expectedToSend: Int64, expectedToReceive: Int64) {
    self.task = task
    self.sent = sent
    self.received = received
    self.expectedToSend = expectedToSend
    self.expectedToReceive = expectedToReceive
  }
}

/// A challenge as the app is shown it.
package struct ChallengeQuestion: Codable, Sendable {
  package var task: Int
  package var host: String
  package var port: Int
  package var protocolName: String?
  package var realm: String?
  package var method: String
  /// The type of the proxy that asks; nil for a server.
  package var proxyType: String?
  /// DER: distinguished names of the authorities that a client certificate may come from.
  package var issuers: [Data]
  /// DER: what the server presented.
  package var certificates: [Data]
  package var failures: Int
  package var proposal: CredentialValue?
  /// The response that asked, archived.
  package var response: Data?

  package init(task: Int, host: String, port: Int, method: String) {
    self.task = task
    self.host = host
    self.port = port
    self.method = method
    issuers = []
    certificates = []
    failures = 0
  }
}
