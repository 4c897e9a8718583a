import LoadingModel
import NIOCore

// The end of an HTTP/1.1 connection, and the errors that its exchanges get.

extension HTTP1Connection {
  /// Closes the connection at once.
  package func close() { context?.closeAtOnce() }

  /// The connection's local address has left the machine: it ends as if the peer had closed it, but with an error that lets requests be sent again.
  func losePath() {
    // Held bytes that have already arrived belong to the response.
    if let context { readHeld(context) }
    switch state {
    case .exchanging(let current):
      state = .closed
      owner?.connectionClosed(self, wasInUse: true)
      current.exchange.fail(failure(current, PathLoss()))
      dropFollowers()
    case .idle, .leased:
      refusal = PathLoss.beforeSending
      closeUnused()
    case .closed: break
    }
    close()
  }

  /// Releases a held body because the connection ends: the app can't take it over any more, and gets the bytes that have arrived.
  func readHeld(_ context: ChannelHandlerContext) {
    guard case .exchanging(let current) = state, current.exchange.isHeld else { return }
    current.exchange.unhold()
    readEvents(context)
  }

  /// Bytes that were written to the channel and that the socket hasn't taken yet.
  var bufferedBytes: Int { (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

  /// Notes the error with which pending writes fail (`writeFailure`), as NIO tells handlers only that the channel has closed.
  ///
  /// Not with TLS: there close_notify tells whether a body that ends with the connection is complete.
  func watchWrites(_ context: ChannelHandlerContext) {
    guard takesFiles else { return }
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenFailure { [weak self] error in self?.writeFailure = error }
    // An empty write behind all pending ones fails if they fail. It isn't flushed, so that it doesn't fail during this call; the channel's
    // end fails it at the latest.
    context.write(NIOAny(ByteBuffer()), promise: written)
  }

  /// Whether the connection's close is the regular end of the response's body (RFC 9112, 6.3), and not an abort.
  var endsBody: Bool { reader.endsWithConnection && !(writeFailure.map(TransportErrors.cutsOff) ?? false) }

  func closeUnused() {
    let wasInUse = !isIdle
    state = .closed
    owner?.connectionClosed(self, wasInUse: wasInUse)
  }

  func end(_ current: Current, with error: LoadError) {
    state = .closed
    // The server closed a connection with pipelined requests without announcing it: the pool notes that it doesn't support pipelining.
    if !followers.sent.isEmpty { owner?.pipelineBroke(self) }
    owner?.connectionClosed(self, wasInUse: true)
    current.exchange.fail(error)
    dropFollowers()
  }

  func failure(_ current: Current, _ error: any Error) -> LoadError {
    switch current.response {
    case .awaitingHead:
      if let alert = session?.alert(in: error) { return alert }
      var mapped = TransportErrors.awaitingHead(error, hasBegun: !reader.isUntouched)
      if mapped.kind == .networkConnectionLost, reader.isUntouched {
        mapped.resendReason = error is PathLoss ? .pathLost : exchangeCount > 1 ? .staleConnection : .cutOff
      }
      return mapped
    case .body, .done:
      return session.flatMap { _ in TLSAlert.renegotiation(in: error) } ?? TransportErrors.readingBody(error)
    }
  }

  /// The error of a request that wasn't sent: it can be sent on another connection, whatever its method.
  static var closedBeforeSending: LoadError {
    var error = LoadError(.networkConnectionLost, .send, "the server closed the connection before the request was sent")
    error.resendReason = .refused
    return error
  }
}
