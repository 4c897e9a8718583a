import Foundation

/// What the daemon sends to an app, or to `urlload`.
package enum DaemonMessage: Codable, Sendable {
  /// The app has the session. The events that it has missed follow, then `caughtUp`.
  case attached(SessionSnapshot)
  /// Further tasks of the session, where `attached` hasn't room for all; sent before any event.
  case moreTasks([TransferState])
  case refused(Refusal)
  /// The task is on disk: from now on it survives the end of app and daemon.
  case created(task: Int)
  /// A task has ended. Sent again when the app attaches next, until a `taken` message names the event.
  case event(TransferEvent)
  /// All events from before the app attached have been sent.
  case caughtUp
  /// Byte counts of a running task: only the latest are sent, a few times a second.
  case progress(TransferProgress)
  case response(task: Int, Data)
  /// A download continues at this byte of its content.
  case resumed(task: Int, offset: Int64, expected: Int64)
  case challenge(question: Int64, ChallengeQuestion)
  /// A task with an `earliestBeginDate` may begin now: asks the app's `willBeginDelayedRequest`.
  case delayed(question: Int64, task: Int)
  /// The session is invalidated on disk, and its tasks are gone: the answer to `invalidate` with `cancelling`.
  case invalidated
  case tool(ToolReply)
}

/// Why the daemon refuses to serve a connection.
package struct Refusal: Codable, Sendable, Error {
  package enum Reason: String, Codable, Sendable {
    /// Another process has the session attached.
    case sessionInUse
    /// App and daemon have different versions of the messages.
    case version
    /// The message can't be decoded, or isn't allowed in the connection's present state.
    case badMessage
    /// The daemon can't write to its disk. In the app: the daemon can't be started or reached.
    case storage
  }

  package var reason: Reason
  /// For people: what went wrong, and what to do.
  package var text: String
  /// `WireVersion.current` of the side that refuses; nil if that side's version doesn't send it.
  package var version: Int? = WireVersion.current

  package init(_ reason: Reason, _ text: String) {
    self.reason = reason
    self.text = text
  }
}

extension Refusal: CustomStringConvertible {
  package var description: String { text }
}

/// What the daemon tells an app that attaches about its session.
package struct SessionSnapshot: Codable, Sendable {
  package var version: Int
  /// The lowest task identifier above all that the session has had.
  package var nextTask: Int
  /// Tasks that haven't ended, in the order in which they were made; if there are many, further ones follow in `moreTasks`.
  package var tasks: [TransferState]
  /// How many events that the app has missed follow.
  package var missedEvents: Int
  /// The session's identifier in the daemon's database, which names its journal of taken events, and the folder of the journals.
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
  /// The task as it was made, for an app that attaches after the end. nil if its record can't be read, or if the event is sent as the task ends.
  package var order: TransferOrder?
  /// The kind of the task, for an app that can't be told `order`; nil if the event is sent as the task ends.
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
  /// The end of a task that the database refuses. The event isn't stored: its negative identifier differs from those of stored events.
  package init(refusing order: TransferOrder, _ error: ErrorValue) {
    var outcome = TransferOutcome()
    outcome.error = error
    outcome.error?.failingURL = order.shownURL
    self.init(identifier: -Int64(order.task), task: order.task, order: order, kind: order.kind, outcome: outcome)
  }

  /// Whether this is the end of a task that the database has refused.
  package var isRefusal: Bool { identifier < 0 }
}

/// How a transfer has ended, with everything that its app's delegate is told then.
package struct TransferOutcome: Codable, Sendable {
  /// The last response, archived; nil if there was none.
  package var response: Data?
  /// nil if the transfer has succeeded.
  package var error: ErrorValue?
  /// Path of the downloaded file, or of the response body of an upload. The daemon removes the file when the event is taken.
  package var file: String?
  package var sent: Int64 = 0
  package var received: Int64 = 0
  package var expectedToSend: Int64 = 0
  package var expectedToReceive: Int64 = -1
  /// The request of the last redirect, archived; nil if it is the task's original one.
  package var currentRequest: Data?
  /// The task's metrics, encoded by the library; nil if there are none.
  package var metrics: Data?

  package init() {}
}

/// An error in a message: what `URLError` needs to be made again.
package struct ErrorValue: Codable, Sendable {
  package var domain: String
  package var code: Int
  package var description: String
  package var failingURL: String?
  package var reason: String?
  /// Resume data for `downloadTask(withResumeData:)` or `uploadTask(withResumeData:)`.
  package var resumeData: Data?
  /// Raw value of `URLError.BackgroundTaskCancelledReason`.
  package var cancelledReason: Int?
  /// Which error of TLS it is, as `userInfo` has it (`_kCFStreamErrorCodeKey`): Secure Transport's code.
  package var tlsCode: Int?

  /// The connection was closed in the handshake: errSSLClosedAbort.
  package static let cutOffHandshake = -9806

  package init(domain: String, code: Int, description: String) {
    self.domain = domain
    self.code = code
    self.description = description
  }
}

/// Byte counts of a running transfer.
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

/// A challenge, as the app's `URLAuthenticationChallenge` is made from it.
package struct ChallengeQuestion: Codable, Sendable {
  package var task: Int
  package var host: String
  package var port: Int
  package var protocolName: String?
  package var realm: String?
  package var method: String
  /// The proxy's type if a proxy asks; nil if the server does.
  package var proxyType: String?
  /// DER: distinguished names of authorities from which the server takes client certificates.
  package var issuers: [Data]
  /// DER: the certificates that the server presented.
  package var certificates: [Data]
  package var failures: Int
  package var proposal: CredentialValue?
  /// The response with the challenge, archived; nil if there is none.
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
