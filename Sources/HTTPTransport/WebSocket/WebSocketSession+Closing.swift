import LoadingModel
import NIOCore
import ProtocolRules

// The closing handshake (RFC 6455, 7), from either side.

extension WebSocketSession {
  /// Sends a close frame behind the messages that wait, and ends when the peer has answered it.
  /// - Returns: False if there is nothing to close yet: the load is to be interrupted instead.
  package func close(_ close: WebSocketClose) -> Bool {
    switch phase {
    case .connecting:
      events?.webSocketWillClose(code: Int(close.code ?? 1005), reason: close.reason)
      return false
    case .open:
      phase = .closing
      isClosedByApp = true
      queuedClose = close
      events?.webSocketWillClose(code: Int(close.code ?? 1005), reason: close.reason)
      closeWatch = WebSocketCloseWatch(left: unsentBytes, received: handedCount)
      watchClosing()
      planPump()
      // What the socket takes at once takes no time: the pump runs in the next turn, and a connection that many share writes in the one after it.
      let eventLoop = executor.eventLoop
      eventLoop.execute { [weak self] in
        eventLoop.execute { [weak self] in
          guard let self else { return }
          closeWatch.note(left: unsentBytes)
        }
      }
      makeRoom()
    // The app has seen enough.
    case .draining: tellEnd()
    case .closing, .ended: break
    }
    return true
  }

  /// Ends a WebSocket whose peer doesn't answer the close frame and sends no messages, or reads nothing of what is sent before it.
  private func watchClosing() {
    plan(after: WebSocketCloseWatch.timeout) { [weak self] in
      guard let self, case .closing = phase else { return }
      // Nothing failed that the app still cares about.
      if closeWatch.isSilent(left: unsentBytes, received: handedCount) { context?.interrupt(.cancelled()) } else { watchClosing() }
    }
  }

  /// Bytes of messages that the socket hasn't taken yet.
  private var unsentBytes: Int {
    outgoing.reduce(exchange?.unwrittenBytes ?? 0) { $0 + $1.content.count - ($1.progress?.offset ?? 0) }
  }

  /// 5.5.1: "If an endpoint receives a Close frame and did not previously send a Close frame, the endpoint MUST send a Close frame in
  /// response. (… the endpoint typically echos the status code it received.)"
  func closed(by close: WebSocketClose) {
    if !isCloseSent { sendNow(close: WebSocketClose(code: Int(close.code ?? 1005), reason: nil)) }
    drain(nil)
    failSending(.notConnected)
    afterMessages { [self] in
      events?.webSocketWillClose(code: Int(close.code ?? 1005), reason: close.reason)
      events?.webSocketClosed(by: close)
      failReceiving(.notConnected)
    }
  }

  /// 7.1.7: the peer broke the rules.
  func fail(_ violation: WebSocketViolation) {
    let close = WebSocketClose(violation)
    let error = violation.error
    if !isCloseSent { sendNow(close: close) }
    drain(error)
    failSending(error)
    afterMessages { [self] in
      events?.webSocketWillClose(code: Int(violation.code.rawValue), reason: [])
      failReceiving(error)
    }
  }

  /// 7.1.1: the server is to end the connection; if it doesn't in time, the client does.
  private func drain(_ error: LoadError?) {
    phase = .draining(error)
    // RFC 8441, 5: on a stream, where it costs nothing, each side ends its own direction.
    exchange?.finishSwitched()
    plan(after: WebSocketCloseWatch.drainTimeout) { [weak self] in
      guard let self, case .draining = self.phase else { return }
      self.exchange?.interrupt(.notConnected)
    }
  }

  func plan(after seconds: Double, _ action: @escaping @Sendable () -> Void) {
    guard let context else { return }
    let loop = executor.eventLoop
    context.clock.wake(at: context.clock.now.advanced(bySeconds: seconds)) { loop.execute(action) }
  }
}
