#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  // How the connection ends: by the pool, by the peer, or with its socket.

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

    /// Gives the handshake up, of which the server seems to know no more.
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
      guard case .leaving(let early) = state, streams.isEmpty, early?.deferred.isEmpty ?? true else { return }
      guard let means, !means.handle.isInCall else { return }
      close()
    }

    /// The C layer says that the connection is over, or about to be.
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

    // MARK: silence

    /// Nothing has come for a while to what the server has to acknowledge: it, or the way to it, may be gone. Nothing more is begun, and what
    /// can be sent again without harm is, elsewhere; the rest waits on.
    func doubt() {
      switch state {
      case .open(nil):
        state = .leaving(early: nil)
        owner?.connectionGoesAway(self)
      case .leaving(nil): break
      // Early data has a limit of its own.
      case .opening, .open, .leaving, .closed: return
      }
      var error = TransportErrors.silence
      error.resendReason = .staleConnection
      for stream in streams.from(0) where stream.isRepeatable && !stream.hasHead {
        abandon(stream)
        stream.exchange.fail(error)
      }
      planFlush()
    }

    // MARK: the socket

    func socketFailed(_ socket: QUICSocket, _ error: any Error) {
      guard means != nil, socket === path.socket, state.isOpening else { return }
      lose(nil, error)
    }

    /// The attempt has ended before the pool had the connection: the server isn't left to wait for more (RFC 9000, 10.2.3).
    func socketCloses(_ socket: QUICSocket) {
      guard let means, !state.isClosed, socket === path.socket, exchangeCount == 0, !means.handle.isInCall else { return }
      outbox.sayFarewell(means.handle, to: socket)
      path.stay()
    }

    /// The channel has been closed from elsewhere: the system doesn't let it send any more, or the attempt has ended.
    func socketClosed(_ socket: QUICSocket) {
      guard means != nil, socket === path.socket else { return }
      if path.isMovable { path.move(for: self, evenIfSame: true) } else { lose(nil, ChannelError.eof) }
    }

    // MARK: the end

    /// Gives everything up: with `cause`, or as `error` explains it.
    /// - Parameter isStale: Whether requests without an answer may be sent again on another connection.
    func lose(_ cause: LoadError?, _ error: any Error, isStale: Bool = false) {
      let before = state
      if case .closed = before { return }
      state = .closed
      if let alternative = before.early?.alternative, let cause, cause.resendReason != .refused {
        owner?.alternativeFailed(alternative, of: destination.origin, cause)
      }
      let lost = streams.removeAll()
      inbox.end()
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

    /// The C layer may be in the middle of a call: it goes with the next turn of the loop.
    private func release() {
      guard let gone = means else { return }
      means = nil
      // Where the address is the one of the server's that is used, what the handshake asks the app is asked by this connection.
      if !path.socket.isHolding { gone.slot.questions?.finish() }
      path.end()
      eventLoop.execute { withExtendedLifetime(gone) {} }
    }
  }
#endif
