import LoadingModel
import NIOCore

// When the peer is asked whether it is still there, and what follows from its silence.

extension HTTP2Connection {
  /// Watches the peer for as long as exchanges are under way.
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

  /// An exchange has been given up. If the peer has been silent since it began, whether it is still there is asked now: later exchanges
  /// don't wait for nothing.
  func exchangeWasGivenUp() {
    let now = clock.now
    guard isOpen, let context, liveness.gaveUp(now) else { return }
    machine.output.writePing(now.nanoseconds)
    liveness.isWatching = true
    wake(now.advanced(bySeconds: Liveness.patience), context.eventLoop)
  }
}
