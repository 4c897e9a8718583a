#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// One HTTP/3 connection (RFC 9114), which carries many exchanges at a time.
  ///
  /// The C layer (CLoadingQUIC) implements QUIC and HTTP/3. `HTTP3Exchanges` has the exchanges and is told what is received for them, `HTTP3Outbox`
  /// decides when packets are sent, `HTTP3Path` has the sockets. Owned by the pool; confined to its event loop.
  package final class HTTP3Connection: @unchecked Sendable {
    // @unchecked: confined to the pool's event loop.
    // `@exclusivity(unchecked)`: that loop excludes accesses by other threads, and no call that modifies one of these properties accesses it
    // again before it returns.

    package let id: Int
    package let destination: Destination
    package let alternative: AlternativeEndpoint?
    package let timings: ConnectTimings
    let clock: any LoadClock
    /// When the connection was created; its first packet is sent at once.
    let begun: Instant
    let eventLoop: any EventLoop
    let memory: QUICMemory
    let path: HTTP3Path
    let outbox: HTTP3Outbox
    let silence: HTTP3SilenceWatch
    let exchanges = HTTP3Exchanges()
    private(set) weak var owner: (any MultiplexedConnectionOwner)?
    @exclusivity(unchecked) var state: HTTP3State
    @exclusivity(unchecked) var means: HTTP3Means?
    @exclusivity(unchecked) var pendingEnd: HTTP3PendingEnd?
    @exclusivity(unchecked) package var exchangeCount = 0
    @exclusivity(unchecked) package var reservedStreams = 0
    @exclusivity(unchecked) var secured = HTTP3SecuredFacts() { didSet { knownFacts = nil } }
    /// The connection's facts, once they have been asked for; nil again after a change of the path or the security.
    @exclusivity(unchecked) var knownFacts: ConnectionFacts?
    /// Reports frames to the connection's watcher; nil if it doesn't want them.
    var frames: HTTP3FrameWatch?
    private let ready: EventLoopFuture<Void>

    init(
      _ parts: ConnectionParts, memory: QUICMemory, path: HTTP3Path, on eventLoop: any EventLoop, ready: EventLoopPromise<Void>,
      owner: any MultiplexedConnectionOwner
    ) {
      id = parts.id
      destination = parts.destination
      alternative = parts.alternative
      timings = parts.timings
      clock = parts.clock
      begun = clock.now
      self.memory = memory
      self.path = path
      self.eventLoop = eventLoop
      self.owner = owner
      outbox = HTTP3Outbox(on: eventLoop)
      silence = HTTP3SilenceWatch(clock, eventLoop)
      state = .opening(HTTP3State.Opening(ready: ready))
      self.ready = ready.futureResult
    }

    // MARK: the handshake

    /// Starts the handshake and sends the first packet.
    ///
    /// - Parameters:
    /// - ssl: A new SSL object of BoringSSL, which the connection frees.
    /// - early: The server's transport parameters of the last connection, on which early data relies; empty to send none.
    /// - alternative: The alternative service that is tried at the same time as TCP; nil if TCP isn't tried.
    func begin(
      _ ssl: UnsafeMutableRawPointer, _ addresses: uls_h3_path, early: [UInt8], beside alternative: AlternativeEndpoint?,
      makeSlot: (QUICHandle) throws(LoadError) -> TLSSessionSlot
    ) throws(LoadError) {
      let token = memory.takeToken(for: destination.origin)
      guard let handle = QUICHandle(ssl, addresses, for: self, token: token, early: early, now: eventLoop.quicTime) else {
        throw LoadError(.secureConnectionFailed, .secure, "QUIC could not be set up")
      }
      let means = HTTP3Means(handle: handle, slot: try makeSlot(handle))
      self.means = means
      timings.tell(.handshake(serverName: destination.server.serverName))
      means.slot.tellMessages(timings)
      if let watcher = timings.watcher, watcher.watchesFrames { frames = HTTP3FrameWatch(watcher, means.handle) }
      path.socket.attach(self)
      guard uls_h3_sends_early(means.pointer) != 0, let acceptance = means.slot.offeredAcceptance else { return flush() }
      beginEarly(means, acceptance, beside: alternative)
    }

    /// Lets the handshake go on after the server has answered at this address. The future succeeds when the handshake is complete.
    func proceed() -> EventLoopFuture<Void> {
      guard let means else { return ready }
      // The connections to the other addresses used the same questions: from now on they are about this connection's handshake.
      means.slot.questions?.slot = means.slot
      path.socket.release()
      return ready
    }

    /// Ends the handshake if it takes too long or, if asked to, its server falls silent (`HTTP3HandshakeSilence`).
    func watchHandshake(_ questions: PeerChallengeHandler?, endsInSilence: Bool) {
      guard case .opening(var opening) = state else { return }
      opening.watch = HTTP3HandshakeWatch(self, questions, endsInSilence: endsInSilence)
      state = .opening(opening)
    }

    /// The app has answered the challenge for which the handshake was paused: resumes it.
    func continueHandshake() {
      guard let means, case .opening(let opening) = state else { return }
      guard !means.handle.isInCall else { return eventLoop.execute { self.continueHandshake() } }
      guard opening.watch?.continues() ?? true else { return lose(nil, HTTP3HandshakeSilence()) }
      call(means.handle) { uls_h3_continue($0, eventLoop.quicTime) }
      readComplete()
    }

    /// The handshake is over for this side.
    func handshakeEnded() {
      // If it took long, the server may have forgotten the connection: it is used only once the server has confirmed the handshake.
      if case .opening(let opening) = state, opening.watch?.endsLate ?? false { return }
      finishHandshake()
    }

    /// The server has confirmed the handshake (HANDSHAKE_DONE, RFC 9001, 4.1.2).
    func handshakeConfirmed() {
      path.confirm(for: self)
      if state.isOpening { finishHandshake() }
    }

    private func finishHandshake() {
      guard let means else { return }
      let before = state
      switch before {
      case .opening(let opening): state = opening.isLeaving ? .leaving(early: nil) : .open(early: nil)
      case .open(.some): state = .open(early: nil)
      case .leaving(.some): state = .leaving(early: nil)
      case .open(nil), .leaving(nil), .closed: return
      }
      path.heard(at: clock.now)
      timings.secureEnd = clock.now
      timings.connectEnd = clock.now
      means.slot.handshakeEnded()
      timings.tell(.secured(means.slot.facts("h3")))
      secured = HTTP3SecuredFacts(negotiatedBy: means.slot)
      memory.keep(transport: means.handle.transportToKeep, for: destination.origin, at: path.socket.remoteAddress)
      if let early = before.early { endEarly(early, means) }
      if case .opening(let opening) = before { opening.succeed() }
    }
  }

  extension HTTP3Connection: MultiplexedConnection {
    package var protocolName: String { "h3" }
    /// The number of exchanges under way, including those that wait for the handshake.
    package var openStreams: Int { exchanges.streams.count + deferred }
    package var hasAnswered: Bool { exchanges.hasAnswered }
    private var deferred: Int { state.early?.deferred.count ?? 0 }
    package var isOpen: Bool { state.isOpen }
    package var peerAcceptance: PeerAcceptance { secured.acceptance }

    package var availableStreams: Int {
      guard isOpen, let means else { return 0 }
      return max(0, Int(min(uls_h3_free_streams(means.pointer), UInt64(HTTP3Connection.streamLimit))) - deferred)
    }

    /// The most exchanges at a time, even if the server allows more.
    private static let streamLimit = 1000

    package var maximumStreams: Int { availableStreams + openStreams }

    package var allowsExtendedConnect: Bool { means.map { uls_h3_peer_allows_extended_connect($0.pointer) != 0 } ?? false }

    package func vouches(for host: String) -> Bool { isOpen && (means?.slot.vouches(for: host) ?? false) }
  }
#endif
