#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  // Requests that are sent before the handshake is over (RFC 9001, 4.6), and those that wait for it.

  extension HTTP3Connection {
    /// A request that waits for the handshake.
    struct Deferred {
      let exchange: Exchange
      let request: OutgoingRequest
      /// What of the body has been given to the connection.
      var body: ByteBuffer?
      var endsWithBody: Bool
    }

    /// A server that answered before may be out of reach now: what waits for it is sent again elsewhere.
    func giveUpEarly() {
      earlyLimit = clock.plan(at: clock.now.advanced(bySeconds: HTTP3Connection.earlyPatience)) { [weak self, eventLoop] in
        eventLoop.execute { [weak self] in self?.missAnswer() }
      }
    }

    private func missAnswer() {
      guard isEarly, lastHeard.nanoseconds == 0 else { return }
      let error = LoadError(.networkConnectionLost, .connect, "the server did not answer over QUIC")
      lose(error, ChannelError.eof, isStale: true)
    }

    /// Seconds, by the session's clock.
    private static let earlyPatience = 0.3

    /// RFC 8470, 2.3: a request that an attacker must not be able to repeat waits for the handshake.
    static func mayBeRepeated(_ request: OutgoingRequest) -> Bool {
      request.connectProtocol == nil && ["GET", "HEAD", "OPTIONS"].contains(request.method)
    }

    /// The server has taken what was sent early, or it is sent again; what could not be sent early follows.
    func endEarly(_ means: Means) {
      isEarly = false
      earlyLimit.take()?.cancel()
      noteEarlyData(wasTaken: uls_h3_early_data_was_accepted(means.pointer) != 0)
      let waiting = deferred
      deferred = []
      // Some may have been given up meanwhile.
      for request in waiting where request.exchange.transport != nil && !request.exchange.hasEndedInbound {
        _ = begin(request.exchange, request.request, body: request.body, endsWithBody: request.endsWithBody, isDeferred: true)
        request.exchange.becameWritable()
      }
      if isOpen { owner?.connectionGainedStreams(self) } else { closeIfLeft() }
    }

    /// None of the requests that were sent early has reached the server's application (RFC 9001, 4.6.2).
    func earlyDataRefused() {
      let lost = streams.values.sorted { $0.id < $1.id }
      streams = [:]
      for stream in lost {
        guard let request = stream.request else { continue }
        deferred.append(Deferred(exchange: stream.exchange, request: request, body: nil, endsWithBody: true))
      }
    }

    /// More of a body whose request waits; nothing if it doesn't.
    func deferBody(_ exchange: Exchange, _ bytes: ByteBuffer?, isEnd: Bool = false) {
      guard let index = deferred.firstIndex(where: { $0.exchange === exchange }) else { return }
      if let bytes { deferred[index].body = ByteBuffer(joining: deferred[index].body, bytes) }
      if isEnd { deferred[index].endsWithBody = true }
    }

    func isDeferred(_ exchange: Exchange) -> Bool { deferred.contains { $0.exchange === exchange } }

    /// The connection ends before its handshake has. Beside TCP, what is wrong with this place is no word on the origin.
    func noteEarlyFailure(_ cause: LoadError?) {
      guard isEarly, let alternative, let cause, cause.resendReason != .refused else { return }
      owner?.alternativeFailed(alternative, of: destination.origin, cause)
    }

    /// The requests that waited for the handshake end with the connection: the server has acted on none of them.
    func failDeferred(_ cause: LoadError?) {
      let waiting = deferred
      deferred = []
      for request in waiting where request.exchange.transport != nil {
        if alternative == nil, let cause, cause.isVerdict {
          request.exchange.fail(cause)
        } else {
          request.exchange.fail(TransportErrors.notSent(hasAnswered: false))
        }
      }
    }

    /// What becomes of a request that was sent early, on a connection beside TCP that has failed as `error` says.
    func earlyFailure(_ error: LoadError) -> LoadError {
      guard isEarly, alternative != nil, error.kind != .networkConnectionLost else { return error }
      var failure = LoadError(.networkConnectionLost, .secure, error.message)
      failure.resendReason = .staleConnection
      return failure
    }
  }

  extension ByteBuffer {
    fileprivate init(joining first: ByteBuffer?, _ second: ByteBuffer) {
      self = first ?? ByteBuffer()
      writeImmutableBuffer(second)
    }
  }
#endif
