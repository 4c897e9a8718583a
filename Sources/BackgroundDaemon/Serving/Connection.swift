import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// One accepted connection. Confined to the daemon's queue.
///
///     new ──attach──▸ (waiting ──▸) app ──▸ over
///      └───tool────────────────────▸ tool ─▸ over
final class Connection: @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  enum Role {
    /// It hasn't said what it is.
    case new
    /// The app's earlier connection hasn't been read to its end.
    case waiting(Attachment)
    case app(AppAttachment)
    case tool
    case over
  }

  let link: MessageLink
  var role = Role.new

  init(_ link: MessageLink) { self.link = link }

  var isOver: Bool { if case .over = role { true } else { false } }
}

/// An app that has a session attached. Confined to the daemon's queue.
final class AppAttachment: @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// How far it has been told of what there is.
  enum Telling {
    /// The tasks that haven't ended, a few at a time.
    case tasks
    case missed(MissedEvents)
    /// Events are told as they come.
    case present
  }

  /// How far it has been told of the events that it missed: a few at a time.
  struct MissedEvents {
    /// Where the next ones begin.
    var last: Int64 = 0
    /// Those that it hasn't taken.
    var untaken: Set<Int64> = []
    /// Whether some are on their way.
    var isSending = false
  }

  let session: Int64
  let link: MessageLink
  /// As the app says and as the system does: equal within one namespace of processes.
  let processes: (claimed: Int32, real: pid_t)
  let answersChallenges: Bool
  let answersFromStorage: Bool
  let answersDelays: Bool
  /// The app has cancelled the session: when the connection ends, what it hasn't taken is removed.
  var isCancelled = false
  /// Transfers whose counts it hasn't been told.
  var moved: Set<Int64> = []
  var telling = Telling.tasks
  /// How many transfers it has that haven't ended, at most.
  var transfers = 0

  init(_ session: Int64, _ link: MessageLink, _ attachment: Attachment) {
    self.session = session
    self.link = link
    processes = (attachment.process, link.peer.process)
    answersChallenges = attachment.answersChallenges
    answersFromStorage = attachment.answersFromStorage ?? false
    answersDelays = attachment.answersDelays
  }

  /// Tells the end of a task, of which the app is told whatever else there is to say of it.
  func send(_ event: TransferEvent) {
    if let frame = event.frame { link.send(frame: frame) }
  }

  /// Whether the app may have an answer: its delegate, or else its storage, which has the credentials to try first.
  func mayAnswer(_ challenge: URLAuthenticationChallenge) -> Bool {
    answersChallenges
      || answersFromStorage && challenge.previousFailureCount == 0 && challenge.protectionSpace.serverTrust == nil
  }

  /// Whether it knows all its tasks: what concerns one of them may be said.
  var knowsTasks: Bool { if case .tasks = telling { false } else { true } }
}
