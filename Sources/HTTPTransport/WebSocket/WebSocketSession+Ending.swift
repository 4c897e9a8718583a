import LoadingModel
import NIOCore

// Holds the peer's end back from the app while messages that came before it are unread, so that the app learns of the end last.

extension WebSocketSession {
  /// Calls `tell`, which tells the app of the end, once the app has received the earlier messages: at once if it has.
  ///
  /// The call is delayed while messages are unread, and while a Swift task that got the last one hasn't asked for another; never if the app has
  /// closed itself. The delay is limited: to `catchUpTimeout` if the app has never asked for a message or has got all of them, else to
  /// `unreadTimeout` since it last asked.
  func afterMessages(_ tell: @escaping () -> Void) {
    guard isOwed, !isClosedByApp, receivers.isEmpty, context?.failure == nil else { return tell() }
    heldEnd = tell
    holdEnd()
  }

  /// Whether the app may not have seen all messages that have been received.
  private var isOwed: Bool { !inbox.isEmpty || isInHand }

  /// Decides how long the end is still held back, after the app has been given a message.
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

  /// Tells the app of the peer's end, if that is held back.
  func tellEnd() {
    holdDeadline = nil
    heldEnd.take()?()
    endTold.take()?.resume()
  }

  /// Returns once the app has been told of the peer's end, or if that isn't held back.
  func waitUntilEndIsTold() async {
    while heldEnd != nil { await withUnsafeContinuation { endTold = $0 } }
  }
}
