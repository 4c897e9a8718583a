import LoadingModel
import NIOCore
import ProtocolRules

// Passes the machine's events to the exchanges, and ends the connection.

extension HTTP2Connection {
  // MARK: events of the machine

  func receive(_ event: HTTP2Machine.Event) {
    switch event {
    case .data(let stream, let bytes):
      guard let exchange = stream.exchange else { return }
      exchange.context.record.responseBodyBytes += Int64(bytes.readableBytes)
      exchange.context.lastActivity = liveness.lastHeard
      exchange.receive(body: bytes)
      if !exchange.isFull { machine.credit(stream) }
    case .head(let stream, let head, let framing, let length):
      hasAnswered = true
      guard let exchange = stream.exchange else { return }
      exchange.context.record.responseStart = liveness.lastHeard
      exchange.context.record.responseHeaderBytes = Int64(length)
      exchange.context.lastActivity = liveness.lastHeard
      exchange.receive(head: head, framing: framing)
    case .informational(let stream, let head):
      stream.exchange?.context.lastActivity = liveness.lastHeard
      stream.exchange?.receive(informational: head)
    case .ended(let stream):
      stream.exchange?.context.record.responseEnd = liveness.lastHeard
      if let trailers = stream.trailers { stream.exchange?.context.record.trailers = trailers }
      end(stream) { $0.receiveEnd() }
    case .failed(let stream, let error): end(stream) { $0.fail(error) }
    case .goingAway(let refused): leave(refused)
    case .settings: owner?.connectionGainedStreams(self)
    case .pong: liveness.answered()
    case .alternatives(let value, let stream, let named): announce(value, stream, named)
    }
  }

  /// Passes an ALTSVC frame to the owner, if it is about the connection's own origin or that of the request on whose stream it came: the server has
  /// proved to be these.
  private func announce(_ value: String, _ stream: HTTP2Stream?, _ named: String) {
    let origin = destination.origin
    let meant: Origin?
    if let stream {
      meant = stream.exchange?.context.record.request.target?.origin
    } else {
      meant = named + "/" == ConnectRules.root(of: origin) ? origin : nil
    }
    if let meant { owner?.connection(self, announces: value, of: meant) }
  }

  private func end(_ stream: HTTP2Stream, _ tell: (Exchange) -> Void) {
    session?.keepTickets()
    stream.exchange?.detach()
    if isOpen { owner?.connectionGainedStreams(self) }
    if let exchange = stream.exchange { tell(exchange) }
  }

  func leave(_ refused: [HTTP2Stream]) {
    if case .open = state {
      state = .leaving
      owner?.connectionGoesAway(self)
    }
    for stream in refused {
      stream.exchange?.fail(TransportErrors.notLookedAt(hasAnswered: hasAnswered || (machine.lastServed ?? 0) > 0))
    }
    closeIfLeft()
  }

  func closeIfLeft() {
    guard case .leaving = state, machine.streams.isEmpty, !isReading else { return }
    close()
  }

  // MARK: the connection's end

  /// The peer has violated the protocol (RFC 9113, 5.4.1): sends GOAWAY, fails all exchanges and closes the connection.
  func violated(_ violation: HTTP2ConnectionError) {
    guard let context else { return }
    machine.output.writeGoAway(violation.code)
    flush()
    lose(
      LoadError(
        .cannotParseResponse, .head, "the server broke the rules of HTTP/2 (\(violation.code)): \(violation.explanation)"), ChannelError.eof
    )
    context.close(mode: .all, promise: nil)
  }

  /// Ends the connection and fails all exchanges: with `cause`, or if that is nil with an error made from `error` for each.
  /// - Parameter isStale: Whether requests without a response may be sent again on another connection.
  func lose(_ cause: LoadError?, _ error: any Error, isStale: Bool = false) {
    if case .closed = state { return }
    state = .closed
    liveness.wake.take()?.cancel()
    let streams = machine.removeAll()
    owner?.connectionClosed(self)
    for stream in streams {
      var failure = cause ?? failure(of: stream, error)
      if isStale, case .awaitingHead = stream.response { failure.resendReason = .staleConnection }
      stream.exchange?.fail(failure)
    }
    waitingProducers = []
    settleWrites()
  }

  private func failure(of stream: HTTP2Stream, _ error: any Error) -> LoadError {
    switch stream.response {
    case .awaitingHead:
      var mapped = TransportErrors.awaitingHead(error, hasBegun: false)
      // After earlier exchanges the request may be repeated as on a stale connection: the server may have been closing it, or many fail at once.
      if mapped.kind == .networkConnectionLost {
        mapped.resendReason = error is PathLoss ? .pathLost : exchangeCount > 1 ? .staleConnection : .cutOff
      }
      return mapped
    case .body: return TransportErrors.readingBody(error)
    }
  }
}
