import LoadingModel
import NIOCore

// How a connection ends, and what its exchange is told.

extension HTTP1Connection {
  /// Closes an idle or unfinished connection.
  package func close() { context?.closeAtOnce() }

  /// The local address of the connection has left the machine: as if the peer had closed it, through no fault of the peer's.
  func losePath() {
    // What has come counts.
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

  /// The connection ends: there is none left that could be taken.
  func readHeld(_ context: ChannelHandlerContext) {
    guard case .exchanging(let current) = state, current.exchange.isHeld else { return }
    current.exchange.unhold()
    readEvents(context)
  }

  /// Bytes that the socket hasn't taken yet.
  var bufferedBytes: Int { (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

  /// Notes why what has been written fails, if it does: the channel tells its handlers nothing then but that it has closed.
  ///
  /// Where TLS is below, its end tells whether a body is whole.
  func watchWrites(_ context: ChannelHandlerContext) {
    guard takesFiles else { return }
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenFailure { [weak self] error in self?.writeFailure = error }
    // Behind all that waits. It isn't flushed, so that nothing fails within this call; the end of the channel fails it in any case.
    context.write(NIOAny(ByteBuffer()), promise: written)
  }

  /// Whether the server has ended the body by closing the connection, which is how it ends (RFC 9112, 6.3), rather than broken it off.
  var endsBody: Bool { reader.endsWithConnection && !(writeFailure.map(TransportErrors.cutsOff) ?? false) }

  func closeUnused() {
    let wasInUse = !isIdle
    state = .closed
    owner?.connectionClosed(self, wasInUse: wasInUse)
  }

  func end(_ current: Current, with error: LoadError) {
    state = .closed
    // The server ended it without having said that it would.
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

  /// Whatever the method, the next connection will do.
  static var closedBeforeSending: LoadError {
    var error = LoadError(.networkConnectionLost, .send, "the server closed the connection before the request was sent")
    error.resendReason = .refused
    return error
  }
}
