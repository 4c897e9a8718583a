#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// One call of `HTTP3Opener`: sends a QUIC Initial packet to the server's addresses in turn (RFC 8305), until one answers.
  ///
  /// Kept alive by the closures that it waits for; confined to the event loop.
  final class HTTP3Dial: @unchecked Sendable {
    // @unchecked: confined to the session's event loop.
    let security: HTTP3Security
    private let cause: ConnectAttempt
    private let memory: QUICMemory
    private let clock: any LoadClock
    private let eventLoop: any EventLoop
    private let sockets: SocketSettings
    private let owner: any AttemptOwner
    private let sendsEarlyData: Bool
    private let endpoint: AlternativeEndpoint
    private var connections: [ObjectIdentifier: HTTP3Connection] = [:]

    /// The time within which an address must answer. It is short if the attempt has an alternative: TCP, or the origin's own place.
    private var patience: TimeAmount { .seconds(cause.isBesideTCP || cause.isElsewhere ? 10 : 75) }

    init(
      _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, _ security: HTTP3Security, _ memory: QUICMemory, _ clock: any LoadClock,
      _ eventLoop: any EventLoop, _ sockets: SocketSettings, _ owner: any AttemptOwner, sendsEarlyData: Bool
    ) {
      self.endpoint = endpoint
      self.sendsEarlyData = sendsEarlyData
      cause = attempt
      self.security = security
      self.memory = memory
      self.clock = clock
      self.eventLoop = eventLoop
      self.sockets = sockets
      self.owner = owner
    }

    /// Opens a connection to the first address that answers. Its handshake is held until `proceed` is called.
    func connect(_ hosts: HostCache) -> EventLoopFuture<HTTP3Connection> {
      let timings = cause.timings
      let promise = eventLoop.makePromise(of: (any Channel).self)
      if let literal = try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port) {
        timings.connectStart = clock.now
        timings.peer = literal
        timings.tell(.connecting(to: endpoint.host, port: endpoint.port))
        let connecting = attempt(literal) { _ in }
        connecting.assumeIsolated().whenSuccess { _ in timings.tell(.connected(to: self.endpoint.host, port: self.endpoint.port)) }
        connecting.cascade(to: promise)
      } else {
        ConnectRace(endpoint.host, endpoint.port, hosts, clock, timings, promise) { address, _, note in self.attempt(address, note) }
          .begin(hints: endpoint.addressHints)
      }
      promise.futureResult.whenFailure { _ in self.end(allBut: nil) }
      return promise.futureResult.flatMapThrowing { [self] channel in
        let connection = connections[ObjectIdentifier(channel)]
        end(allBut: connection)
        guard let connection else { throw ChannelError.ioOnClosedChannel }
        return connection
      }
    }

    private func end(allBut winner: HTTP3Connection?) {
      let known = connections.values
      connections = [:]
      for connection in known where connection !== winner { connection.lose(nil, ChannelError.eof) }
    }

    private func attempt(_ address: SocketAddress, _ note: @escaping @Sendable (any Channel) -> Void) -> EventLoopFuture<any Channel> {
      let answered = eventLoop.makePromise(of: Void.self)
      let purpose = SocketPurpose(traffic: cause.destination.traffic)
      let cause = cause
      let opened = QUICSocket.open(to: address, on: eventLoop, settings: sockets, traffic: purpose) { channel in
        note(channel)
        return cause.began(on: channel).flatMapThrowing {
          try channel.pipeline.syncOperations.addHandler(QUICSocket(answered: answered))
        }
      }
      opened.whenFailure { answered.fail($0) }
      let timeout = eventLoop.scheduleTask(in: patience) {
        answered.fail(HTTP3Failure.noAnswer)
      }
      answered.futureResult.whenComplete { _ in timeout.cancel() }
      return opened.flatMap { [self] channel in
        do {
          try begin(channel, address, answered)
        } catch {
          answered.fail(error)
        }
        // With early data the connection is ready before the server has answered.
        if connections[ObjectIdentifier(channel)]?.isEarly ?? false { answered.succeed() }
        return answered.futureResult.map { channel }.flatMapErrorThrowing { error in
          channel.close(promise: nil)
          throw error
        }
      }
    }

    private func begin(_ channel: any Channel, _ address: SocketAddress, _ answered: EventLoopPromise<Void>) throws {
      let socket = try channel.pipeline.syncOperations.handler(type: QUICSocket.self)
      guard let path = socket.path else { throw ChannelError.unknownLocalAddress }
      let ssl = try security.make()
      let ready = eventLoop.makePromise(of: Void.self)
      // The error that ended the connection tells more than the channel's being closed.
      ready.futureResult.whenFailure { answered.fail($0) }
      var parts = ConnectionParts(
        id: cause.id, destination: cause.destination, timings: cause.timings, clock: clock, session: nil)
      if cause.isElsewhere { parts.alternative = endpoint }
      let way = HTTP3Path(socket, on: eventLoop, sockets, SocketPurpose(traffic: cause.destination.traffic))
      let connection = HTTP3Connection(parts, memory: memory, path: way, on: eventLoop, ready: ready, owner: owner)
      let early =
        sendsEarlyData && cause.allowsEarlyData
        ? memory.transport(for: cause.origin, at: address, security.questions?.takes ?? .unasked) : []
      do {
        let alternative = cause.isBesideTCP ? endpoint : nil
        try connection.begin(ssl, path, early: early, beside: alternative) { handle throws(LoadError) in
          try security.slot(ssl, in: handle) { [weak connection] in connection?.continueHandshake() }
        }
      } catch {
        ready.fail(error)
        throw error
      }
      connections[ObjectIdentifier(channel)] = connection
    }
  }
#endif
