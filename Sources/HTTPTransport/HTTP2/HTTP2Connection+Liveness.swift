import LoadingModel
import NIOCore

// Detecting a dead peer by PING, and failing its exchanges.

extension HTTP2Connection {
  /// Starts checking that the peer is alive; goes on as long as exchanges are under way.
  func watch() {
    liveness.isWatching = true
    look()
  }

  private func look() {
    guard let context, !machine.streams.isEmpty else {
      liveness.isWatching = false
      return
    }
    let now = clock.now
    switch liveness.verdict(now) {
    case .dead:
      lose(TransportErrors.silence, ChannelError.eof, isStale: exchangeCount > 1)
      context.closeAtOnce()
    case .ping:
      machine.output.writePing(now.nanoseconds)
      flush()
      wake(now.advanced(bySeconds: Liveness.patience), context.eventLoop)
    case .lookAgain(let later): wake(later, context.eventLoop)
    }
  }

  private func wake(_ later: Instant, _ eventLoop: any EventLoop) {
    liveness.nextLook = later
    liveness.wake = clock.plan(at: later) { [weak self] in
      guard let self else { return }
      eventLoop.execute {
        if self.liveness.nextLook == later { self.look() }
      }
    }
  }

  /// An exchange has been given up (timeout or cancellation). If nothing has been received since it began, a PING is sent at once, so that later
  /// exchanges aren't sent to a dead connection.
  func exchangeWasGivenUp() {
    let now = clock.now
    guard isOpen, let context, liveness.gaveUp(now) else { return }
    machine.output.writePing(now.nanoseconds)
    liveness.isWatching = true
    wake(now.advanced(bySeconds: Liveness.patience), context.eventLoop)
  }
}
