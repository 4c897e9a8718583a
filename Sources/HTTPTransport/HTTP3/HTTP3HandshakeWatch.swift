#if HTTP3
  import LoadingModel
  import NIOCore

  /// The server has fallen silent in the middle of a handshake: it may have forgotten it, and another one may do better.
  struct HTTP3HandshakeSilence: Error {}

  /// Ends a handshake that takes too long, and one whose server has fallen silent.
  ///
  /// Servers give a handshake some seconds, and forget it then without a word. A network that was away, a process that was stopped, or an app
  /// that took its time over a question, comes too late then, and is never answered.
  ///
  /// Owned by the connection while it opens; confined to its event loop.
  final class HTTP3HandshakeWatch: @unchecked Sendable {
    // @unchecked: confined to the event loop, to which the clock's wakes hop before they use it.
    private weak var connection: HTTP3Connection?
    private let questions: PeerChallengeHandler?
    /// Whether the connection is given up where the server falls silent, so that another handshake can begin.
    private let endsInSilence: Bool
    /// The connection is over while the app is being asked: the next handshake needs its answer, and begins with it.
    private var isForgotten = false
    private let clock: any LoadClock
    private let eventLoop: any EventLoop
    private var limit: PlannedWake?
    private var silence: PlannedWake?
    /// When the server had answered for the first time.
    private let begin: Instant
    /// Since when the server could have been heard.
    private var since: Instant
    /// Silence that is taken for the server's having forgotten, in seconds.
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

    /// Some five probes with what a network usually takes (RFC 9002, 6.2).
    private static let leastPatience = 3.0

    /// Whether it takes so long until now that the server may have forgotten it. Less is no reason to wait for one more round trip.
    var endsLate: Bool { clock.now.seconds(since: begin) >= 1 }

    /// What the app is asked may take its time.
    private var waitsForApp: Bool { questions.map { $0.isOpen || $0.isLacking } ?? false }

    /// The app has answered: only now the server gets something that it can answer.
    ///
    /// - Returns: Whether the connection is still there.
    func continues() -> Bool {
      since = clock.now
      return !isForgotten
    }

    /// What becomes of a handshake whose connection has ended without a word on it.
    enum Loss {
      /// The connection has failed.
      case failure
      /// Another handshake may do better.
      case silence
      /// As silence, as soon as the app has answered.
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
