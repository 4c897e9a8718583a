#if HTTP3
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// The phase in which a connection sends early data, before its handshake is complete (RFC 9001, 4.6): the requests that wait for the handshake,
  /// and the time limit for the server's first answer.
  ///
  /// Owned by the connection's state, for as long as the phase lasts; confined to the event loop.
  final class HTTP3EarlyPhase {
    /// A request that isn't sent before the handshake is complete.
    struct Deferred {
      let exchange: Exchange
      let request: OutgoingRequest
      /// The part of the body that has been handed to the connection; nil if none has.
      var body: ByteBuffer?
      var endsWithBody: Bool
      /// The trailer fields, which end the body; nil if there are none or the body hasn't ended.
      var trailers: HeaderFields?
    }

    /// The alternative service that is tried at the same time as TCP; nil if TCP isn't tried.
    let alternative: AlternativeEndpoint?
    private(set) var deferred: [Deferred] = []
    private var limit: PlannedWake?

    init(beside alternative: AlternativeEndpoint?) { self.alternative = alternative }

    deinit { limit?.cancel() }

    /// Seconds within which the server must answer the first packet, by the session's clock.
    private static let patience = 0.3

    /// Calls `missed` when the time limit is over, unless the phase has ended before: a server that was reachable earlier may not be now.
    func limit(by clock: any LoadClock, _ missed: @escaping @Sendable () -> Void) {
      limit = clock.plan(at: clock.now.advanced(bySeconds: HTTP3EarlyPhase.patience), missed)
    }

    func wait(_ request: Deferred) { deferred.append(request) }

    /// Adds a request that was sent as early data and refused. Its body is empty, as early data is only allowed for such requests.
    func takeBack(_ stream: HTTP3Stream) {
      guard let request = stream.request else { return }
      wait(Deferred(exchange: stream.exchange, request: request, body: nil, endsWithBody: true))
    }

    func isWaiting(_ exchange: Exchange) -> Bool { deferred.contains { $0.exchange === exchange } }

    /// Adds body bytes of a waiting request; does nothing if `exchange` isn't waiting.
    func add(_ bytes: ByteBuffer, to exchange: Exchange) {
      guard let index = deferred.firstIndex(where: { $0.exchange === exchange }) else { return }
      deferred[index].body = ByteBuffer(joining: deferred[index].body, bytes)
    }

    /// Ends the body of a waiting request, with its trailer fields; does nothing if `exchange` isn't waiting.
    func end(of exchange: Exchange, _ trailers: HeaderFields) {
      guard let index = deferred.firstIndex(where: { $0.exchange === exchange }) else { return }
      if trailers.isEmpty { deferred[index].endsWithBody = true } else { deferred[index].trailers = trailers }
    }

    /// Removes the request of an exchange that has been cancelled.
    /// - Returns: Whether the request was waiting.
    func giveUp(_ exchange: Exchange) -> Bool {
      guard let index = deferred.firstIndex(where: { $0.exchange === exchange }) else { return false }
      deferred.remove(at: index)
      return true
    }

    /// Ends the phase and returns the requests that still wait; those whose exchange has ended meanwhile are left out.
    func end() -> [Deferred] {
      limit.take()?.cancel()
      let waiting = deferred
      deferred = []
      return waiting.filter { $0.exchange.transport != nil && !$0.exchange.hasEndedInbound }
    }

    // MARK: the end of the connection before its handshake

    /// Fails the requests that waited for the handshake, because the connection has ended. They weren't sent, so they can be sent on another one.
    ///
    /// - Parameter cause: Why the connection has ended; nil if that isn't known.
    func fail(_ cause: LoadError?) {
      let verdict = alternative == nil && cause?.isVerdict ?? false ? cause : nil
      for waiting in end() { waiting.exchange.fail(verdict ?? TransportErrors.notSent(hasAnswered: false)) }
    }

    /// The error of a request that was sent as early data. If TCP is tried as well, a fault of this alternative place doesn't fail the request: it is
    /// sent again elsewhere.
    func failureOfSent(_ error: LoadError) -> LoadError {
      guard alternative != nil, error.kind != .networkConnectionLost else { return error }
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
