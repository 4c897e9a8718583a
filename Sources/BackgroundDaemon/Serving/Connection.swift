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
    /// The connection hasn't sent its first message.
    case new
    /// The connection waits until the app's earlier connection has been read to its end.
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

  /// What the app has been told of its tasks and events so far.
  enum Telling {
    /// The app is being told the tasks that haven't ended, page by page.
    case tasks
    case missed(MissedEvents)
    /// The app has caught up: events are sent as they happen.
    case present
  }

  /// Progress in sending the events that the app has missed, page by page.
  struct MissedEvents {
    /// The last event sent: the next page begins behind it.
    var last: Int64 = 0
    /// Events sent that the app hasn't taken.
    var untaken: Set<Int64> = []
    /// Whether a page is still being sent.
    var isSending = false
  }

  let session: Int64
  let link: MessageLink
  /// The process identifier as the app states it and as the kernel does: they differ if the app runs in another process namespace.
  let processes: (claimed: Int32, real: pid_t)
  let answersChallenges: Bool
  let answersFromStorage: Bool
  let answersDelays: Bool
  /// Whether the app has cancelled the session: events that it hasn't taken are removed when the connection ends.
  var isCancelled = false
  /// Transfers whose latest progress the app hasn't been told.
  var moved: Set<Int64> = []
  var telling = Telling.tasks
  /// An upper bound of the session's transfers that haven't ended.
  var transfers = 0

  init(_ session: Int64, _ link: MessageLink, _ attachment: Attachment) {
    self.session = session
    self.link = link
    processes = (attachment.process, link.peer.process)
    answersChallenges = attachment.answersChallenges
    answersFromStorage = attachment.answersFromStorage ?? false
    answersDelays = attachment.answersDelays
  }

  /// Sends the end of a task. Its frame also has response, metrics and counts, as far as they fit a message.
  func send(_ event: TransferEvent) {
    if let frame = event.frame { link.send(frame: frame) }
  }

  /// Whether the app may be asked about the challenge: by its delegate, or else by its credential storage, for credentials to try first.
  func mayAnswer(_ challenge: URLAuthenticationChallenge) -> Bool {
    answersChallenges
      || answersFromStorage && challenge.previousFailureCount == 0 && challenge.protectionSpace.serverTrust == nil
  }

  /// Whether the app has been told all its tasks, so that messages about one of them may be sent.
  var knowsTasks: Bool { if case .tasks = telling { false } else { true } }
}
