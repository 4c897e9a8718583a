import LoadingModel
import NIOCore
import ProtocolRules

// The closing handshake (RFC 6455, 7), begun by the app or by the peer.

extension WebSocketSession {
  /// Queues a close frame behind the messages that wait to be sent; the WebSocket ends when the peer has answered it.
  /// - Returns: False if the WebSocket isn't open yet: then the caller has to interrupt the load.
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
      // Bytes that the socket takes at once don't count for the first interval. They are written within two turns of the event loop: the pump runs in
      // the next one, and a multiplexed connection writes in the one after it.
      let eventLoop = executor.eventLoop
      eventLoop.execute { [weak self] in
        eventLoop.execute { [weak self] in
          guard let self else { return }
          closeWatch.note(left: unsentBytes)
        }
      }
      makeRoom()
    // The app closes while the peer's end is still held back from it: it is told now.
    case .draining: tellEnd()
    case .closing, .ended: break
    }
    return true
  }

  /// Ends the WebSocket if, for a whole interval, the peer neither answers the close frame nor sends messages, or doesn't read what is sent before it.
  private func watchClosing() {
    plan(after: WebSocketCloseWatch.timeout) { [weak self] in
      guard let self, case .closing = phase else { return }
      // Ends as cancelled, as the app has closed the WebSocket and expects no error.
      if closeWatch.isSilent(left: unsentBytes, received: handedCount) { context?.interrupt(.cancelled()) } else { watchClosing() }
    }
  }

  /// Bytes of messages that the socket hasn't taken yet.
  private var unsentBytes: Int {
    outgoing.reduce(exchange?.unwrittenBytes ?? 0) { $0 + $1.content.count - ($1.progress?.offset ?? 0) }
  }

  /// The peer's close frame has arrived: answers it if none was sent, and ends the WebSocket. RFC 6455, 5.5.1: "If an endpoint receives a Close frame
  /// and did not previously send a Close frame, the endpoint MUST send a Close frame in response. (… the endpoint typically echos the status code it
  /// received.)"
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

  /// Fails the WebSocket because the peer has violated the protocol: sends a close frame with the reason (RFC 6455, 7.1.7).
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

  /// Waits for the server to end the connection (RFC 6455, 7.1.1); closes it after `drainTimeout`.
  private func drain(_ error: LoadError?) {
    phase = .draining(error)
    // On an HTTP/2 stream each side ends its own direction (RFC 8441, 5).
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
