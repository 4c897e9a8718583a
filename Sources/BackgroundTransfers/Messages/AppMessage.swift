import Foundation

/// What an app, or the tool, says to the daemon. The first message of a connection is `attach` or `tool`.
///
/// Tasks are named by their identifiers, which count within one session. See Documentation/background-sessions.md for the order.
package enum AppMessage: Codable, Sendable {
  /// The app has made the session.
  case attach(Attachment)
  /// A new task; it is suspended until `resume`.
  case create(TransferOrder)
  case resume(task: Int)
  case suspend(task: Int)
  /// Answered by the task's completion, with resume data in its error if `wantsResumeData` and there is any.
  case cancel(task: Int, wantsResumeData: Bool)
  case change(task: Int, TransferChange)
  /// The app has been told of these events: they, and their files, aren't kept any longer.
  case taken(events: [Int64])
  case answer(question: Int64, ChallengeReply)
  case begin(question: Int64, DelayedReply)
  /// The session takes no more tasks. With `cancelling` those it has are cancelled, and the app isn't told again.
  case invalidate(cancelling: Bool)
  /// The app has called the handler that came with its launch.
  case launchHandled
  /// What a person at a terminal asks for.
  case tool(ToolRequest)
}

/// Who attaches, and with which session.
package struct Attachment: Codable, Sendable {
  /// `WireVersion.current` of the app.
  package var version: Int
  package var terms: SessionTerms
  /// Whether the delegate takes challenges.
  package var answersChallenges: Bool
  /// Whether the app has a credential storage, which answers where the delegate doesn't: parts of it are in the app's memory alone. nil from
  /// an app of an earlier version.
  package var answersFromStorage: Bool?
  /// Whether the delegate has to be asked before a delayed task begins.
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

/// Which messages both sides know. A peer of another version is told so and refused.
package enum WireVersion {
  package static let current = 1
}

/// What may change in a task that has been made. nil leaves a value as it is.
package struct TransferChange: Codable, Sendable {
  /// Empty for none.
  package var description: String?
  package var priority: Float?
  /// `.distantPast` for none.
  package var earliestBegin: Date?
  package var expectsToSend: Int64?
  package var expectsToReceive: Int64?

  package init() {}

  package var isEmpty: Bool {
    description == nil && priority == nil && earliestBegin == nil && expectsToSend == nil && expectsToReceive == nil
  }
}

/// The app's answer to a challenge.
package struct ChallengeReply: Codable, Sendable {
  /// `URLSession.AuthChallengeDisposition` by raw value.
  package var disposition: Int
  package var credential: CredentialValue?

  package init(disposition: Int, credential: CredentialValue? = nil) {
    self.disposition = disposition
    self.credential = credential
  }
}

/// A credential on its way between two processes of one user.
package enum CredentialValue: Codable, Sendable {
  case password(user: String, password: String, persistence: UInt)
  /// DER: the certificate of the identity first; and its private key.
  case identity(certificates: [Data], key: Data, persistence: UInt)
  /// Trust in the server's certificates as the question showed them.
  case trust
}

/// The app's answer to `willBeginDelayedRequest`.
package enum DelayedReply: Codable, Sendable {
  case proceed
  /// A request in the place of the original, archived.
  case replace(request: Data)
  case cancel
}
