#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// The network path of one connection: the socket that it uses, its migration to other sockets (RFC 9000, 9), and when the server was last heard.
  ///
  /// fixed --handshake confirmed--> movable <--> moving
  ///
  /// Owned by its connection, which passes itself to calls that may move it; confined to the event loop.
  final class HTTP3Path: @unchecked Sendable {
    // @unchecked: confined to the event loop.
    // `@exclusivity(unchecked)`: for the reason given in `HTTP3Connection`.

    private enum Mobility {
      /// RFC 9000, 9: "An endpoint MUST NOT initiate connection migration before the handshake is confirmed".
      case fixed
      case movable
      /// The socket of the new path is being opened.
      case moving
    }

    @exclusivity(unchecked) private(set) var socket: QUICSocket
    /// When a packet of the server last arrived; zero before the first.
    @exclusivity(unchecked) private(set) var lastHeard = Instant(nanoseconds: 0)
    private var mobility = Mobility.fixed
    private var isOver = false
    /// The local addresses that vanished while the connection could not migrate; nil if the networks haven't changed meanwhile.
    private var missed: Set<String>?
    /// Whether the connection has lost its path, and the system knew no other one to the server when it last looked.
    private(set) var isCutOff = false
    /// The number of migrations in a row that the C layer has refused.
    private var refusals = 0
    /// The connection's QUIC facts for metrics; created when they are first asked for.
    private(set) var quic: QUICFacts?
    private let eventLoop: any EventLoop
    private let settings: SocketSettings
    private let purpose: SocketPurpose

    init(_ socket: QUICSocket, on eventLoop: any EventLoop, _ settings: SocketSettings, _ purpose: SocketPurpose) {
      self.socket = socket
      self.eventLoop = eventLoop
      self.settings = settings
      self.purpose = purpose
    }

    deinit {
      guard !isOver else { return }
      // The connection was released without being closed. The channel would keep the socket open.
      let socket = socket
      eventLoop.execute { socket.close() }
    }

    /// The connection has ended: closes the socket.
    func end() {
      isOver = true
      socket.close()
    }

    // MARK: facts for metrics

    /// The QUIC facts, one object for all exchanges of the connection: later changes, such as a migration, also show in the metrics of earlier ones.
    func facts(of handle: QUICHandle) -> QUICFacts {
      if let quic { return quic }
      let facts = QUICFacts(version: uls_h3_version(handle.pointer))
      quic = facts
      return facts
    }

    /// The facts of the connection for metrics. Without a handle, when the connection has ended, those that are still known.
    func facts(of handle: QUICHandle?, _ secured: HTTP3SecuredFacts, peer: SocketAddress?) -> ConnectionFacts {
      guard let handle else { return facts(nil, peer, secured, quic) }
      return facts(socket.localAddress, socket.remoteAddress ?? peer, secured, facts(of: handle))
    }

    private func facts(
      _ local: SocketAddress?, _ remote: SocketAddress?, _ secured: HTTP3SecuredFacts, _ quic: QUICFacts?
    ) -> ConnectionFacts {
      ConnectionFacts(
        localAddress: local?.ipAddress, localPort: local?.port, remoteAddress: remote?.ipAddress, remotePort: remote?.port,
        tlsVersion: secured.version, tlsCipherSuite: secured.suite, isTLSResumed: secured.isResumed,
        isTrustOverridden: secured.acceptance.isOverridden, keyExchangeGroup: secured.group, encryptedHello: secured.encryptedHello,
        quic: quic, certificates: secured.certificates)
    }

    /// Whether the socket is closed or its local address is among `addresses`, which have left the machine.
    func isLost(with addresses: Set<String>) -> Bool {
      !socket.isOpen || socket.localAddress?.ipAddress.map(addresses.contains) ?? false
    }

    // MARK: migration

    /// Whether the connection may migrate, now or when a migration under way has ended: the handshake is confirmed, and the server allows it.
    func isMovable(_ handle: QUICHandle) -> Bool {
      if case .fixed = mobility { false } else { uls_h3_may_migrate(handle.pointer) != 0 }
    }

    /// The handshake is confirmed, so that the connection may migrate. Called by an event of the C layer: the migration begins after the call.
    func confirm(for traveller: any HTTP3Traveller) {
      if case .fixed = mobility { mobility = .movable }
      eventLoop.execute { [weak self, weak traveller] in
        if let traveller { self?.moveAfterMissedChange(for: traveller) }
      }
    }

    /// Migrates to the path that the system prefers now: at once, or once the handshake is confirmed and an earlier migration has ended.
    ///
    /// - Parameters:
    /// - evenIfSame: Whether to migrate to a new socket even if its local address is the same.
    /// - vanished: The local addresses that have left the machine.
    func move(for traveller: any HTTP3Traveller, evenIfSame: Bool, _ vanished: Set<String> = []) {
      guard let handle = traveller.handle else { return }
      guard case .movable = mobility else {
        missed = (missed ?? []).union(vanished)
        return
      }
      guard isMovable(handle), let remote = socket.remoteAddress else { return }
      mobility = .moving
      let opened = QUICSocket.open(to: remote, on: eventLoop, settings: settings, traffic: purpose) { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(QUICSocket()) }
      }
      opened.whenComplete { [weak self, weak traveller] result in
        guard let self, let traveller, let handle = traveller.handle else { return (try? result.get())?.close(promise: nil) ?? () }
        let old = socket
        if take(result, of: handle, evenIfSame: evenIfSame) {
          traveller.moved(from: old)
        } else {
          isCutOff = (try? result.get()) == nil && (isCutOff || isLost(with: vanished))
          tryAgain(for: traveller, evenIfSame, vanished)
        }
        moveAfterMissedChange(for: traveller)
      }
    }

    /// Retries a migration that the C layer has refused, as when the server has supplied no connection ID yet; at most `refusalLimit` times in a row.
    private func tryAgain(for traveller: any HTTP3Traveller, _ evenIfSame: Bool, _ vanished: Set<String>) {
      guard refusals > 0 else { return isCutOff ? traveller.cutOff() : () }
      guard refusals <= HTTP3Path.refusalLimit else { return isLost(with: vanished) ? traveller.stranded() : () }
      eventLoop.scheduleTask(in: .milliseconds(100 << Int64(refusals - 1))) { [weak self, weak traveller] in
        if let traveller { self?.move(for: traveller, evenIfSame: evenIfSame, vanished) }
      }
    }

    private static let refusalLimit = 5

    /// Migrates if the networks have changed while that wasn't possible.
    private func moveAfterMissedChange(for traveller: any HTTP3Traveller) {
      guard case .movable = mobility, let vanished = missed.take() else { return }
      move(for: traveller, evenIfSame: isLost(with: vanished), vanished)
    }

    /// Migrates to the socket that was opened. If opening failed, the connection stays where it is until the networks change again.
    ///
    /// - Returns: Whether packets are sent over the new socket from now on.
    private func take(_ result: Result<any Channel, any Error>, of handle: QUICHandle, evenIfSame: Bool) -> Bool {
      if case .moving = mobility { mobility = .movable }
      let earlier = refusals
      refusals = 0
      guard case .success(let channel) = result else { return false }
      guard let new = try? channel.pipeline.syncOperations.handler(type: QUICSocket.self), var path = new.path,
        evenIfSame || new.localAddress?.ipAddress != socket.localAddress?.ipAddress
      else {
        channel.close(promise: nil)
        return false
      }
      guard uls_h3_migrate(handle.pointer, &path, eventLoop.quicTime) != 0 else {
        refusals = earlier + 1
        channel.close(promise: nil)
        return false
      }
      if let from = socket.localAddress?.ipAddress, let to = new.localAddress?.ipAddress {
        facts(of: handle).note(QUICFacts.Move(from: from, to: to))
      }
      socket = new
      isCutOff = false
      return true
    }

    /// Forbids further migration, as CONNECTION_CLOSE has been sent to the server.
    func stay() { mobility = .fixed }

    // MARK: received packets, and routes

    func heard(at time: Instant) { lastHeard = time }

    /// Tells whether the system has a route to the server now, by opening and closing another socket.
    func probe(_ tell: @escaping @Sendable (Bool) -> Void) {
      guard socket.isOpen, let remote = socket.remoteAddress else { return tell(false) }
      let opened = QUICSocket.open(to: remote, on: eventLoop, settings: settings, traffic: purpose) {
        $0.eventLoop.makeSucceededVoidFuture()
      }
      opened.whenComplete { result in
        let channel = try? result.get()
        channel?.close(promise: nil)
        tell(channel != nil)
      }
    }
  }

  /// A connection that can migrate from one path to another. Used on the event loop.
  protocol HTTP3Traveller: AnyObject, Sendable {
    /// The C layer's connection; nil once it is over.
    var handle: QUICHandle? { get }
    /// The connection has migrated: packets are sent over `HTTP3Path.socket` from now on.
    func moved(from old: QUICSocket)
    /// The connection has lost its path, and can't migrate to another one.
    func stranded()
    /// The connection has lost its path, and there is no other one to the server at present.
    func cutOff()
  }
#endif
