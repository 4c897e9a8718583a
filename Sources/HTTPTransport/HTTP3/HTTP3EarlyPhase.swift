#if HTTP3
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// The time in which a connection sends requests before its handshake is over (RFC 9001, 4.6): what waits for the handshake, and how long
  /// the server may take to answer at all.
  ///
  /// Owned by the connection's state, for as long as it lasts; confined to the event loop.
  final class HTTP3EarlyPhase {
    /// A request that waits for the handshake.
    struct Deferred {
      let exchange: Exchange
      let request: OutgoingRequest
      /// What of the body has been given to the connection.
      var body: ByteBuffer?
      var endsWithBody: Bool
      /// The fields behind the body; they end it.
      var trailers: HeaderFields?
    }

    /// The place that was tried beside TCP; nil where TCP isn't tried.
    let alternative: AlternativeEndpoint?
    private(set) var deferred: [Deferred] = []
    private var limit: PlannedWake?

    init(beside alternative: AlternativeEndpoint?) { self.alternative = alternative }

    deinit { limit?.cancel() }

    /// Seconds, by the session's clock.
    private static let patience = 0.3

    /// A server that answered before may be out of reach now: `missed` is called after a while, unless the phase is over by then.
    func limit(by clock: any LoadClock, _ missed: @escaping @Sendable () -> Void) {
      limit = clock.plan(at: clock.now.advanced(bySeconds: HTTP3EarlyPhase.patience), missed)
    }

    func wait(_ request: Deferred) { deferred.append(request) }

    /// A request that was sent early, and refused, waits as well. Its body is empty: others aren't sent early.
    func takeBack(_ stream: HTTP3Stream) {
      guard let request = stream.request else { return }
      wait(Deferred(exchange: stream.exchange, request: request, body: nil, endsWithBody: true))
    }

    func isWaiting(_ exchange: Exchange) -> Bool { deferred.contains { $0.exchange === exchange } }

    /// More of a body whose request waits; nothing if it doesn't.
    func add(_ bytes: ByteBuffer, to exchange: Exchange) {
      guard let index = deferred.firstIndex(where: { $0.exchange === exchange }) else { return }
      deferred[index].body = ByteBuffer(joining: deferred[index].body, bytes)
    }

    /// There is no more of a body whose request waits.
    func end(of exchange: Exchange, _ trailers: HeaderFields) {
      guard let index = deferred.firstIndex(where: { $0.exchange === exchange }) else { return }
      if trailers.isEmpty { deferred[index].endsWithBody = true } else { deferred[index].trailers = trailers }
    }

    /// A request is given up.
    /// - Returns: Whether it waited.
    func giveUp(_ exchange: Exchange) -> Bool {
      guard let index = deferred.firstIndex(where: { $0.exchange === exchange }) else { return false }
      deferred.remove(at: index)
      return true
    }

    /// The phase is over: the requests that waited, but for those that have been given up.
    func end() -> [Deferred] {
      limit.take()?.cancel()
      let waiting = deferred
      deferred = []
      return waiting.filter { $0.exchange.transport != nil && !$0.exchange.hasEndedInbound }
    }

    // MARK: where the connection ends before its handshake

    /// The requests that waited for the handshake end with the connection: the server has acted on none of them.
    ///
    /// - Parameter cause: Why the connection has ended, where that is known.
    func fail(_ cause: LoadError?) {
      let verdict = alternative == nil && cause?.isVerdict ?? false ? cause : nil
      for waiting in end() { waiting.exchange.fail(verdict ?? TransportErrors.notSent(hasAnswered: false)) }
    }

    /// What a request ends with that was sent early. Beside TCP, what is wrong with this place is no word on the origin.
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
