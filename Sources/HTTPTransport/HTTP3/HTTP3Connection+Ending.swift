#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  // The end of an HTTP/3 connection: closed by the pool or the peer, or lost with its socket.

  extension HTTP3Connection {
    /// Closes the connection at once; what is under way fails.
    package func close() {
      guard let means, !state.isClosed else { return }
      guard !means.handle.isInCall else {
        pendingEnd = pendingEnd ?? .close
        return
      }
      outbox.sayFarewell(means.handle, to: path.socket)
      lose(nil, ChannelError.eof)
    }

    /// Gives up a handshake in which the server has stopped answering.
    func abandonHandshake() {
      guard let means, state.isOpening, !means.handle.isInCall else { return }
      outbox.sayFarewell(means.handle, to: path.socket)
      lose(nil, HTTP3HandshakeSilence())
    }

    /// Begins nothing more, and closes when what is under way has ended.
    package func shutDown() {
      guard case .open(let early) = state else { return }
      state = .leaving(early: early)
      closeIfLeft()
    }

    func closeIfLeft() {
      guard case .leaving(let early) = state, exchanges.streams.isEmpty, early?.deferred.isEmpty ?? true else { return }
      guard let means, !means.handle.isInCall else { return }
      close()
    }

    /// The C layer (CLoadingQUIC) reports that the connection has ended or is closing.
    func ended(_ result: uls_h3_state) {
      guard let means, !state.isClosed else { return }
      let failure = HTTP3Failure(uls_h3_failure(means.pointer), means.slot)
      if result == ULS_H3_CLOSING { outbox.writeFarewell(means.handle, to: path.socket) }
      if case .opening(let opening) = state, let watch = opening.watch, !failure.isVerdict {
        switch watch.lost() {
        case .failure: break
        case .silence: return lose(nil, HTTP3HandshakeSilence())
        case .postponed: return
        }
      }
      lose(failure.error(isOpening: state.isOpening), ChannelError.eof)
    }

    // MARK: a server that stops answering

    /// The server hasn't acknowledged packets for a while: it or the path to it may be dead. No new exchanges begin, and those that can be repeated
    /// safely fail so that they are sent on another connection; the others go on waiting.
    func doubt() {
      switch state {
      case .open(nil):
        state = .leaving(early: nil)
        owner?.connectionGoesAway(self)
      case .leaving(nil): break
      // Before the handshake is complete nothing has been answered: early requests can be repeated safely, and the others haven't been sent.
      case .open, .leaving: return lose(TransportErrors.silence, ChannelError.eof, isStale: true)
      case .opening, .closed: return
      }
      var error = TransportErrors.silence
      error.resendReason = .staleConnection
      for stream in exchanges.streams.from(0) where stream.isRepeatable && !stream.hasHead {
        exchanges.abandon(stream, of: self)
        stream.exchange.fail(error)
      }
      planFlush()
    }

    // MARK: the socket

    func socketFailed(_ socket: QUICSocket, _ error: any Error) {
      guard means != nil, socket === path.socket, state.isOpening else { return }
      lose(nil, error)
    }

    /// The attempt's socket is closed before the pool has used the connection: CONNECTION_CLOSE is sent, so that the server doesn't wait (RFC 9000,
    /// 10.2.3).
    func socketCloses(_ socket: QUICSocket) {
      guard let means, !state.isClosed, socket === path.socket, exchangeCount == 0, !means.handle.isInCall else { return }
      outbox.sayFarewell(means.handle, to: socket)
      path.stay()
    }

    /// The channel was closed by NIO, because the system refuses to send, or by the attempt's end: the connection moves to a new socket if it can.
    func socketClosed(_ socket: QUICSocket) {
      guard let means, socket === path.socket else { return }
      if path.isMovable(means.handle) { return path.move(for: self, evenIfSame: true) }
      if state.isOpening { lose(nil, ChannelError.eof) } else { stranded() }
    }

    // MARK: the connection's end

    /// Ends the connection and fails all exchanges: with `cause`, or if that is nil with an error made from `error` for each.
    /// - Parameter isStale: Whether requests without a response may be sent again on another connection.
    func lose(_ cause: LoadError?, _ error: any Error, isStale: Bool = false) {
      let before = state
      if case .closed = before { return }
      state = .closed
      if let alternative = before.early?.alternative, let cause, cause.resendReason != .refused {
        owner?.alternativeFailed(alternative, of: destination.origin, cause)
      }
      let lost = exchanges.streams.removeAll()
      exchanges.inbox.end()
      outbox.end()
      silence.end()
      switch before {
      case .opening(let opening): opening.fail(means?.slot.refusal ?? cause ?? error)
      case .open, .leaving: owner?.connectionClosed(self)
      case .closed: break
      }
      before.early?.fail(cause)
      for stream in lost {
        let failure = cause ?? stream.failure(by: error)
        stream.fail(before.early?.failureOfSent(failure) ?? failure, wasUsed: isStale || exchangeCount > 1)
      }
      release()
    }

    /// Releases the C layer's connection. Its memory is freed in the next turn of the event loop, as it may be in the middle of a call.
    private func release() {
      guard let gone = means else { return }
      means = nil
      // Unless the socket still holds its datagrams, this connection's address was the one chosen: the handshake's questions to the app end with it.
      if !path.socket.isHolding { gone.slot.questions?.finish() }
      path.end()
      eventLoop.execute { withExtendedLifetime(gone) {} }
    }
  }
#endif
