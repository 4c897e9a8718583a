import Foundation

/// What an app, or `urlload`, sends to the daemon. The first message of a connection is `attach` or `tool`.
///
/// Tasks are named by their identifiers, which count within one session. See Documentation/background-sessions.md for the order.
package enum AppMessage: Codable, Sendable {
  /// The app has made a background session, and takes it for this process.
  case attach(Attachment)
  /// A new task, suspended until `resume`.
  case create(TransferOrder)
  case resume(task: Int)
  case suspend(task: Int)
  /// Cancels the task. Its completion follows as an event, with resume data in its error if `wantsResumeData` and there is any.
  case cancel(task: Int, wantsResumeData: Bool)
  case change(task: Int, TransferChange)
  /// The app's delegate has been told of these events: the daemon removes them and their files.
  case taken(events: [Int64])
  case answer(question: Int64, ChallengeReply)
  case begin(question: Int64, DelayedReply)
  /// The session takes no more tasks. With `cancelling` its tasks are cancelled too, and the app gets no events of them.
  case invalidate(cancelling: Bool)
  /// The app has called the completion handler that its `onBackgroundEvents` handler was given.
  case launchHandled
  /// A request of `urlload background`.
  case tool(ToolRequest)
}

/// First message of an app: its process, its session, and which questions it answers.
package struct Attachment: Codable, Sendable {
  /// The app's `WireVersion.current`; the daemon refuses another one than its own.
  package var version: Int
  package var terms: SessionTerms
  /// Whether the app's delegate takes challenges.
  package var answersChallenges: Bool
  /// Whether the app has a credential storage that answers challenges where the delegate doesn't, with credentials that may be in the app's memory
  /// alone. nil from an app of an earlier version.
  package var answersFromStorage: Bool?
  /// Whether the delegate implements `willBeginDelayedRequest`.
  package var answersDelays: Bool
  /// Whether the daemon has started this process for the session.
  package var wasLaunched: Bool
  package var process: Int32

  package init(
    version: Int = WireVersion.current, terms: SessionTerms, answersChallenges: Bool, answersFromStorage: Bool? = nil,
    answersDelays: Bool, wasLaunched: Bool, process: Int32
  ) {
    self.version = version
    self.terms = terms
    self.answersChallenges = answersChallenges
    self.answersFromStorage = answersFromStorage
    self.answersDelays = answersDelays
    self.wasLaunched = wasLaunched
    self.process = process
  }
}

/// Version of the messages. A peer with another version gets the refusal `.version`.
package enum WireVersion {
  package static let current = 1
}

/// Changes of a task's properties after it was made; nil leaves a property as it is.
package struct TransferChange: Codable, Sendable {
  /// `taskDescription`; empty if it is removed, unless `isDescriptionEmpty`.
  package var description: String?
  /// Whether the description is an empty one. nil for others, and from an app of an earlier version, to which an empty one is none.
  package var isDescriptionEmpty: Bool?
  package var priority: Float?
  /// `earliestBeginDate`; `.distantPast` if it is removed.
  package var earliestBegin: Date?
  package var expectsToSend: Int64?
  package var expectsToReceive: Int64?

  package init() {}

  /// Changes `taskDescription`; nil removes it.
  package mutating func describe(as text: String?) {
    description = text ?? ""
    isDescriptionEmpty = text?.isEmpty == true ? true : nil
  }

  package var isEmpty: Bool {
    description == nil && priority == nil && earliestBegin == nil && expectsToSend == nil && expectsToReceive == nil
  }
}

/// The app's answer to a challenge.
package struct ChallengeReply: Codable, Sendable {
  /// Raw value of `URLSession.AuthChallengeDisposition`.
  package var disposition: Int
  package var credential: CredentialValue?

  package init(disposition: Int, credential: CredentialValue? = nil) {
    self.disposition = disposition
    self.credential = credential
  }
}

/// A credential in a message between two processes of one user.
package enum CredentialValue: Codable, Sendable {
  case password(user: String, password: String, persistence: UInt)
  /// DER: the identity's certificate first, then those that lead to its authority; and the private key.
  case identity(certificates: [Data], key: Data, persistence: UInt)
  /// Trust in the server's certificates that the challenge had.
  case trust
}

/// The app's answer to `willBeginDelayedRequest`.
package enum DelayedReply: Codable, Sendable {
  case proceed
  /// The request that takes the place of the original one, archived.
  case replace(request: Data)
  case cancel
}
