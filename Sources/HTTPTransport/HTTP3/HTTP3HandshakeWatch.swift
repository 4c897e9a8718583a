#if HTTP3
  import LoadingModel
  import NIOCore

  /// The error of a handshake in whose middle the server stopped answering: it may have forgotten the connection, and a new handshake may succeed.
  struct HTTP3HandshakeSilence: Error {}

  /// Ends a handshake that takes too long, or whose server stops answering.
  ///
  /// Servers abandon a handshake silently after some seconds. If the network was away, the process was stopped, or the app took long to answer a
  /// challenge, the client's next packets then come too late and are never answered.
  ///
  /// Owned by the connection while it opens; confined to its event loop.
  final class HTTP3HandshakeWatch: @unchecked Sendable {
    // @unchecked: confined to the event loop; the clock's wakes are moved to it before they use the object.
    private weak var connection: HTTP3Connection?
    private let questions: PeerChallengeHandler?
    /// Whether the handshake ends when the server stops answering, so that another one can be tried.
    private let endsInSilence: Bool
    /// Whether the connection has ended while the app was being asked. The next handshake begins once the app has answered, and uses its answer.
    private var isForgotten = false
    private let clock: any LoadClock
    private let eventLoop: any EventLoop
    private var limit: PlannedWake?
    private var silence: PlannedWake?
    /// When the watch began: when the server had first answered.
    private let begin: Instant
    /// The time since which the server could have answered: the beginning, or the app's last answer.
    private var since: Instant
    /// Seconds of silence after which the server is assumed to have forgotten the handshake.
    private let patience: Double

    init(_ connection: HTTP3Connection, _ questions: PeerChallengeHandler?, endsInSilence: Bool) {
      self.connection = connection
      self.questions = questions
      self.endsInSilence = endsInSilence
      (clock, eventLoop) = (connection.clock, connection.eventLoop)
      let now = clock.now
      (begin, since) = (now, now)
      patience = max(HTTP3HandshakeWatch.leastPatience, 3 * now.seconds(since: connection.begun))
      planLimit()
      if endsInSilence { planSilence(after: patience) }
    }

    /// The least `patience` in seconds: about five probe timeouts at usual round-trip times (RFC 9002, 6.2).
    private static let leastPatience = 3.0

    /// Whether the handshake has taken so long (a second) that the server may have forgotten it: then its confirmation is waited for.
    var endsLate: Bool { clock.now.seconds(since: begin) >= 1 }

    /// Whether the app is being asked, whose time doesn't count.
    private var waitsForApp: Bool { questions.map { $0.isOpen || $0.isLacking } ?? false }

    /// The app has answered: the handshake goes on, and silence counts from now.
    ///
    /// - Returns: Whether the connection still exists.
    func continues() -> Bool {
      since = clock.now
      return !isForgotten
    }

    /// The consequence for a handshake whose connection has ended without a TLS or version error.
    enum Loss {
      /// The connection attempt fails.
      case failure
      /// A new handshake is tried (`HTTP3HandshakeSilence`).
      case silence
      /// A new handshake is tried once the app has answered.
      case postponed
    }

    func lost() -> Loss {
      guard endsInSilence else { return .failure }
      guard waitsForApp else { return endsLate ? .silence : .failure }
      isForgotten = true
      return .postponed
    }

    func end() {
      limit?.cancel()
      silence?.cancel()
    }

    private func planLimit() {
      limit = plan(after: Connector.handshakeLimit) { watch, connection in
        if watch.waitsForApp { return watch.planLimit() }
        connection.lose(LoadError(.timedOut, .secure, "the server did not get through the QUIC handshake"), ChannelError.eof)
      }
    }

    private func planSilence(after seconds: Double) {
      silence = plan(after: seconds) { watch, connection in
        if watch.waitsForApp { return watch.planSilence(after: watch.patience) }
        let silence = watch.clock.now.seconds(since: max(watch.since, connection.path.lastHeard))
        guard silence >= watch.patience else { return watch.planSilence(after: watch.patience - silence) }
        connection.abandonHandshake()
      }
    }

    private func plan(after seconds: Double, _ act: @escaping @Sendable (HTTP3HandshakeWatch, HTTP3Connection) -> Void) -> PlannedWake {
      clock.plan(at: clock.now.advanced(bySeconds: seconds)) { [weak self, eventLoop] in
        eventLoop.execute { [weak self] in
          guard let self, let connection, connection.state.isOpening else { return }
          act(self, connection)
        }
      }
    }
  }
#endif
