import BackgroundTransfers
import Foundation

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

  /// How far it has been told of what it missed.
  enum Telling {
    /// A few events at a time: these it has been sent and hasn't taken.
    case missed(Set<Int64>)
    /// Events are told as they come.
    case present
  }

  let session: Int64
  let link: MessageLink
  /// As the app says and as the system does: equal within one namespace of processes.
  let processes: (claimed: Int32, real: pid_t)
  let answersChallenges: Bool
  let answersDelays: Bool
  /// The app has cancelled the session: when the connection ends, what it hasn't taken is removed.
  var isCancelled = false
  /// Transfers whose counts it hasn't been told.
  var moved: Set<Int64> = []
  var telling = Telling.missed([])
  /// How many transfers it has that haven't ended, at most.
  var transfers = 0

  init(_ session: Int64, _ link: MessageLink, _ attachment: Attachment) {
    self.session = session
    self.link = link
    processes = (attachment.process, link.peer.process)
    answersChallenges = attachment.answersChallenges
    answersDelays = attachment.answersDelays
  }
}
