import LoadingModel
import NIOCore

// The peer's end of a WebSocket is told behind the messages that came before it: the app must not learn of the end while messages wait.

extension WebSocketSession {
  /// Runs `tell` once the app has the messages that came before the end: at once if it has them.
  ///
  /// It waits while messages are unread, and while the Swift task that got the last one hasn't asked for another; not where the app has
  /// closed. An app that doesn't ask is told all the same: after `catchUpTimeout` if it never has asked or has all messages, else
  /// `unreadTimeout` after it asked last.
  func afterMessages(_ tell: @escaping () -> Void) {
    guard isOwed, !isClosedByApp, receivers.isEmpty, context?.failure == nil else { return tell() }
    heldEnd = tell
    holdEnd()
  }

  /// Whether messages came that the app may not have seen.
  private var isOwed: Bool { !inbox.isEmpty || isInHand }

  /// The app has asked for a message, and been given one.
  func holdEnd() {
    guard heldEnd != nil, let context else { return }
    guard isOwed else { return tellEnd() }
    let isPatient = hasAsked && !inbox.isEmpty
    let patience = isPatient ? WebSocketSession.unreadTimeout : WebSocketSession.catchUpTimeout
    let deadline = context.clock.now.advanced(bySeconds: patience)
    let isPlanned = holdDeadline.map { $0 <= deadline } ?? false
    holdDeadline = deadline
    if !isPlanned { planTelling(after: patience) }
  }

  private func planTelling(after seconds: Double) {
    plan(after: seconds) { [weak self] in
      guard let self, self.heldEnd != nil, let deadline = self.holdDeadline, let now = self.context?.clock.now else { return }
      guard now < deadline else { return self.tellEnd() }
      self.planTelling(after: deadline.seconds(since: now))
    }
  }

  /// Tells of the end, if that has been held back.
  func tellEnd() {
    holdDeadline = nil
    heldEnd.take()?()
    endTold.take()?.resume()
  }

  /// Returns when the app has been told of the end.
  func waitUntilEndIsTold() async {
    while heldEnd != nil { await withUnsafeContinuation { endTold = $0 } }
  }
}
