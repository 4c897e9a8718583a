#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// One HTTP/3 connection (RFC 9114): carries many exchanges at a time, over sockets that may change.
  ///
  ///     opening -> open -> leaving -> closed
  ///     (each state may also go to closed at once)
  ///
  /// The C layer implements QUIC and HTTP/3; this type brings its events to the exchanges and its datagrams to the socket, those of one turn
  /// of the loop together. Owned by the pool; confined to its event loop.
  package final class HTTP3Connection: @unchecked Sendable {
    // @unchecked: confined to the pool's event loop.
    // `@exclusivity(unchecked)`: that loop excludes accesses by other threads, and no call that modifies one of these properties accesses it
    // again before it returns.

    enum State {
      case opening(EventLoopPromise<Void>)
      case open
      /// No new streams; those that are open end as they may.
      case leaving
      case closed
    }

    /// What it sends on and is protected by, from its first packet to its end.
    struct Means: @unchecked Sendable {
      // @unchecked: confined to the event loop.
      let handle: QUICHandle
      let slot: TLSSessionSlot
      var socket: QUICSocket
      var pointer: OpaquePointer { handle.pointer }
    }

    package let id: Int
    package let destination: Destination
    package let timings: ConnectTimings
    let clock: any LoadClock
    let eventLoop: any EventLoop
    let memory: QUICMemory
    /// How the sockets are opened that it may move to.
    let sockets: SocketSettings
    private(set) weak var owner: (any MultiplexedConnectionOwner)?
    @exclusivity(unchecked) var state: State
    @exclusivity(unchecked) var means: Means?
    @exclusivity(unchecked) var streams: [Int64: HTTP3Stream] = [:]
    @exclusivity(unchecked) package var exchangeCount = 0
    /// Whether any exchange has had a response.
    @exclusivity(unchecked) var hasAnswered = false
    @exclusivity(unchecked) package var reservedStreams = 0
    package private(set) var peerAcceptance = PeerAcceptance.unneeded
    private(set) var secured = SecuredFacts()
    @exclusivity(unchecked) var lastHeard = Instant(nanoseconds: 0)
    /// Streams with bytes that their exchanges haven't been given.
    @exclusivity(unchecked) var touched: [HTTP3Stream] = []
    /// Streams whose producers wait for room.
    @exclusivity(unchecked) var producers: [HTTP3Stream] = []
    @exclusivity(unchecked) var unwritten: [(stream: HTTP3Stream, written: EventLoopPromise<Void>)] = []
    @exclusivity(unchecked) var output = ByteBuffer()
    @exclusivity(unchecked) var isFlushPlanned = false
    /// A call of the C layer is under way: another must wait for it.
    @exclusivity(unchecked) var isInCall = false
    @exclusivity(unchecked) var timer: Scheduled<Void>?
    @exclusivity(unchecked) var timerTime = UInt64.max
    /// Received, and unread by its exchange.
    @exclusivity(unchecked) var unread = 0
    /// Bytes of the connection's window that are held back until some are read.
    @exclusivity(unchecked) var owed = 0
    /// The path that it has moved to doesn't lead to the server; told from within an event.
    @exclusivity(unchecked) var hasLostPath = false
    /// The pool has closed it from within an event.
    @exclusivity(unchecked) var wantsClose = false
    /// Whether bodies have been queued that may need large batches.
    @exclusivity(unchecked) var hasQueued = false
    /// Ends a handshake that takes too long.
    var handshakeLimit: PlannedWake?
    /// Whether its address is the one of the server's that is used: then what the handshake asks the app is asked by this connection.
    @exclusivity(unchecked) var hasProceeded = false
    /// Ends a connection that sends early data, where nothing answers.
    var earlyLimit: PlannedWake?
    private let ready: EventLoopFuture<Void>
    @exclusivity(unchecked) var isMigrating = false
    @exclusivity(unchecked) var isConfirmed = false
    @exclusivity(unchecked) var keepsAlive = false
    @exclusivity(unchecked) var suspicion: Scheduled<Void>?
    /// Whether requests are sent before the server has answered at all.
    @exclusivity(unchecked) var isEarly = false
    /// Requests that wait for the handshake.
    @exclusivity(unchecked) var deferred: [Deferred] = []
    /// The place that was tried beside TCP; nil where TCP isn't tried.
    var alternative: AlternativeEndpoint?
    /// What its facts say of QUIC; made when they are asked for.
    @exclusivity(unchecked) var quic: QUICFacts?

    /// What the handshake has settled.
    struct SecuredFacts {
      var version: UInt16?
      var suite: UInt16?
      var isResumed = false
    }

    init(
      _ parts: ConnectionParts, memory: QUICMemory, sockets: SocketSettings, on eventLoop: any EventLoop, ready: EventLoopPromise<Void>,
      owner: any MultiplexedConnectionOwner
    ) {
      id = parts.id
      destination = parts.destination
      timings = parts.timings
      clock = parts.clock
      self.memory = memory
      self.sockets = sockets
      self.eventLoop = eventLoop
      self.owner = owner
      state = .opening(ready)
      self.ready = ready.futureResult
    }

    deinit {
      timer?.cancel()
      suspicion?.cancel()
      earlyLimit?.cancel()
    }

    /// Sends the first packet.
    ///
    /// - Parameters:
    ///   - ssl: Fresh; taken.
    ///   - early: What early data relies on; empty for none.
    func begin(
      _ ssl: UnsafeMutableRawPointer, _ socket: QUICSocket, _ path: uls_h3_path, early: [UInt8],
      makeSlot: (QUICHandle) throws(LoadError) -> TLSSessionSlot
    ) throws(LoadError) {
      var path = path
      var settings = uls_h3_default_settings()
      settings.handshake_timeout = 0
      settings.idle_timeout = HTTP3Connection.idleTimeout
      var events = HTTP3Connection.events
      let token = memory.takeToken(for: destination.origin)
      let pointer = token.withUnsafeBufferPointer { token in
        early.withUnsafeBufferPointer { early in
          uls_h3_client(
            ssl, &path, &settings, &events, Unmanaged.passUnretained(self).toOpaque(),
            uls_h3_bytes(data: token.baseAddress, length: token.count), uls_h3_bytes(data: early.baseAddress, length: early.count),
            eventLoop.quicTime)
        }
      }
      guard let pointer else { throw LoadError(.secureConnectionFailed, .secure, "QUIC could not be set up") }
      let handle = QUICHandle(owning: pointer)
      let slot = try makeSlot(handle)
      means = Means(handle: handle, slot: slot, socket: socket)
      socket.attach(self)
      guard uls_h3_sends_early(pointer) != 0, let acceptance = slot.offeredAcceptance, case .opening(let ready) = state else {
        return flush()
      }
      // Requests join the first packet: they are begun in this turn of the loop, or soon after.
      state = .open
      isEarly = true
      slot.isUsedEarly = true
      peerAcceptance = acceptance
      // What the exchanges that begin now are protected by, and the connection as well if the server takes them.
      secured = SecuredFacts(version: HTTP3Connection.tlsVersion, suite: slot.offeredCipherSuite, isResumed: true)
      timings.connectEnd = clock.now
      ready.succeed()
      planFlush()
      giveUpEarly()
    }

    /// The wire's number of TLS 1.3, without which there is no QUIC (RFC 9001, 4.2).
    private static let tlsVersion: UInt16 = 0x0304

    /// Nanoseconds of silence after which the peer is gone; less if the peer says so.
    private static let idleTimeout: UInt64 = 60_000_000_000
    /// Nanoseconds of silence after which the peer is asked whether it is there, while exchanges are under way.
    static let silence: UInt64 = 15_000_000_000

    /// Lets the handshake go on after the server has answered; the future ends with it.
    func proceed() -> EventLoopFuture<Void> {
      guard let means else { return ready }
      hasProceeded = true
      // The connections to the other addresses had them as well.
      means.slot.questions?.slot = means.slot
      means.socket.release()
      return ready
    }

    /// Ends the handshake if it takes too long; what the app is asked meanwhile may take its time.
    func limitHandshake(_ questions: PeerChallengeHandler?) {
      guard case .opening = state else { return }
      handshakeLimit = clock.plan(at: clock.now.advanced(bySeconds: Connector.handshakeLimit)) { [weak self, eventLoop] in
        eventLoop.execute { [weak self] in
          guard let self, case .opening = state else { return }
          if questions?.isOpen ?? false { return limitHandshake(questions) }
          lose(LoadError(.timedOut, .secure, "the server did not get through the QUIC handshake"), ChannelError.eof)
        }
      }
    }

    /// The app has answered what the handshake waits for.
    func continueHandshake() {
      guard !isInCall else { return eventLoop.execute { self.continueHandshake() } }
      guard let means, case .opening = state else { return }
      call { uls_h3_continue(means.pointer, eventLoop.quicTime) }
      readComplete()
    }

    /// The handshake is over.
    func handshakeEnded() {
      guard let means else { return }
      let opening: EventLoopPromise<Void>?
      switch state {
      case .opening(let ready):
        opening = ready
        state = .open
      case .open where isEarly, .leaving where isEarly: opening = nil
      case .open, .leaving, .closed: return
      }
      handshakeLimit.take()?.cancel()
      lastHeard = clock.now
      timings.secureEnd = clock.now
      timings.connectEnd = clock.now
      means.slot.handshakeEnded()
      peerAcceptance = means.slot.peerAcceptance
      secured = SecuredFacts(
        version: means.slot.negotiatedVersion, suite: means.slot.negotiatedCipherSuite, isResumed: means.slot.isResumed)
      keepTransport(means)
      if isEarly { endEarly(means) }
      opening?.succeed()
    }

    private func keepTransport(_ means: Means) {
      let kept = [UInt8](unsafeUninitializedCapacity: 512) { room, count in
        count = uls_h3_keep_transport(means.pointer, room.baseAddress, room.count)
      }
      if !kept.isEmpty { memory.keep(transport: kept, for: destination.origin) }
    }

    // MARK: for the pool and the load

    package func start(_ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool) -> Int {
      guard isEarly, !(endsWithBody && body == nil && HTTP3Connection.mayBeRepeated(request)) else {
        return begin(exchange, request, body: body, endsWithBody: endsWithBody)
      }
      deferred.append(Deferred(exchange: exchange, request: request, body: body, endsWithBody: endsWithBody))
      return HTTP3RequestFields(request, priority: exchange.context.priority).length
    }

    /// - Parameter isDeferred: Whether it was given to the connection before, which may take no others any more.
    func begin(
      _ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool, isDeferred: Bool = false
    ) -> Int {
      guard isOpen || isDeferred && isLeaving, let means else {
        exchange.fail(TransportErrors.notSent(hasAnswered: hasAnswered))
        return 0
      }
      let hasBody = (body?.readableBytes ?? 0) > 0
      let fields = HTTP3RequestFields(request, priority: exchange.context.priority)
      let id = fields.withFields { fields in
        uls_h3_request(means.pointer, fields.baseAddress, fields.count, endsWithBody && !hasBody ? 1 : 0)
      }
      guard id >= 0 else {
        exchange.fail(TransportErrors.notSent(hasAnswered: hasAnswered))
        return 0
      }
      exchangeCount += 1
      let stream = HTTP3Stream(id: id, exchange: exchange, method: request.method)
      if isEarly { stream.request = request }
      exchange.streamID = Int32(truncatingIfNeeded: id >> 2)
      streams[id] = stream
      if let body, hasBody { queue(body, stream) }
      if endsWithBody {
        if hasBody { uls_h3_finish(means.pointer, id) }
        stream.isSending = false
      }
      if !keepsAlive {
        keepsAlive = true
        uls_h3_keep_alive(means.pointer, HTTP3Connection.silence)
      }
      planFlush()
      return fields.length
    }

    /// Closes the connection at once; what is under way fails.
    package func close() {
      guard let means else { return }
      if case .closed = state { return }
      guard !isInCall else {
        wantsClose = true
        return
      }
      uls_h3_close(means.pointer, HTTP3ErrorCode.noError.rawValue)
      sayFarewell(means)
      lose(nil, ChannelError.eof)
    }

    /// Begins nothing more, and closes when what is under way has ended.
    package func shutDown() {
      guard case .open = state else { return }
      state = .leaving
      closeIfLeft()
    }

    func closeIfLeft() {
      guard isLeaving, streams.isEmpty, deferred.isEmpty, !isInCall else { return }
      close()
    }
  }

  extension HTTP3Connection: MultiplexedConnection {
    package var protocolName: String { "h3" }
    package var openStreams: Int { streams.count }
    package var isOpen: Bool { if case .open = state { true } else { false } }
    private var isLeaving: Bool { if case .leaving = state { true } else { false } }

    package var availableStreams: Int {
      guard isOpen, let means else { return 0 }
      return Int(min(uls_h3_free_streams(means.pointer), UInt64(HTTP3Connection.streamLimit)))
    }

    /// Exchanges that are begun before others have ended, whatever the server allows.
    private static let streamLimit = 1000

    package var maximumStreams: Int { availableStreams + streams.count }

    package var allowsExtendedConnect: Bool { means.map { uls_h3_peer_allows_extended_connect($0.pointer) != 0 } ?? false }

    package func vouches(for host: String) -> Bool { isOpen && (means?.slot.vouches(for: host) ?? false) }
  }
#endif
