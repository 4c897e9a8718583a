#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// The way of one connection to its server: the socket that it uses, those that it may move to (RFC 9000, 9), and whether the server is
  /// there.
  ///
  ///     fixed --handshake confirmed--> movable <--> moving
  ///
  /// Owned by its connection, which hands itself in where it may be told of a move; confined to the event loop.
  final class HTTP3Path: @unchecked Sendable {
    // @unchecked: confined to the event loop.
    // `@exclusivity(unchecked)`: as of the connection.

    private enum Mobility {
      /// RFC 9000, 9: "An endpoint MUST NOT initiate connection migration before the handshake is confirmed".
      case fixed
      case movable
      /// Another socket is being opened.
      case moving
    }

    @exclusivity(unchecked) private(set) var socket: QUICSocket
    /// When something has come from the server; zero before that.
    @exclusivity(unchecked) private(set) var lastHeard = Instant(nanoseconds: 0)
    private var mobility = Mobility.fixed
    private var isOver = false
    /// What changed in the networks while it could not move: the addresses that vanished. nil if nothing did.
    private var missed: Set<String>?
    /// Attempts in a row that the C layer refused.
    private var refusals = 0
    /// What metrics are told of QUIC; made when they are asked for.
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

    /// The connection is over.
    func end() {
      isOver = true
      socket.close()
    }

    // MARK: facts

    /// One object for all the exchanges: what happens later is told to those that have begun.
    func facts(of handle: QUICHandle) -> QUICFacts {
      if let quic { return quic }
      let facts = QUICFacts(version: uls_h3_version(handle.pointer))
      quic = facts
      return facts
    }

    /// What metrics are told of the connection; without a handle, what is left to tell.
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

    /// Whether these local addresses, which have left the machine, are its own.
    func isLost(with addresses: Set<String>) -> Bool {
      !socket.isOpen || socket.localAddress?.ipAddress.map(addresses.contains) ?? false
    }

    // MARK: moving

    /// Whether it may move, now or when it has moved.
    var isMovable: Bool { if case .fixed = mobility { false } else { true } }

    /// The handshake is confirmed. From within the C layer.
    func confirm(for traveller: any HTTP3Traveller) {
      if case .fixed = mobility { mobility = .movable }
      eventLoop.execute { [weak self, weak traveller] in
        if let traveller { self?.moveAfterMissedChange(for: traveller) }
      }
    }

    /// Takes the path that the system prefers now, if there is one: at once, or when the handshake is confirmed and earlier moves are over.
    ///
    /// - Parameters:
    ///   - evenIfSame: Whether it moves although its address would be the same.
    ///   - vanished: Addresses that have left the machine.
    func move(for traveller: any HTTP3Traveller, evenIfSame: Bool, _ vanished: Set<String> = []) {
      guard traveller.handle != nil else { return }
      guard case .movable = mobility else {
        missed = (missed ?? []).union(vanished)
        return
      }
      guard let remote = socket.remoteAddress else { return }
      mobility = .moving
      let opened = QUICSocket.open(to: remote, on: eventLoop, settings: settings, traffic: purpose) { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(QUICSocket()) }
      }
      opened.whenComplete { [weak self, weak traveller] result in
        guard let self, let traveller, let handle = traveller.handle else { return (try? result.get())?.close(promise: nil) ?? () }
        let old = socket
        if take(result, of: handle, evenIfSame: evenIfSame) { traveller.moved(from: old) } else { tryAgain(for: traveller, evenIfSame) }
        moveAfterMissedChange(for: traveller)
      }
    }

    /// Tries again what the C layer has refused, for want of a connection ID perhaps, unless it was refused too often.
    private func tryAgain(for traveller: any HTTP3Traveller, _ evenIfSame: Bool) {
      guard refusals > 0, refusals <= HTTP3Path.refusalLimit else { return }
      eventLoop.scheduleTask(in: .milliseconds(100 << Int64(refusals - 1))) { [weak self, weak traveller] in
        if let traveller { self?.move(for: traveller, evenIfSame: evenIfSame) }
      }
    }

    private static let refusalLimit = 5

    /// Moves if the networks have changed while it could not.
    private func moveAfterMissedChange(for traveller: any HTTP3Traveller) {
      guard case .movable = mobility, let vanished = missed.take() else { return }
      move(for: traveller, evenIfSame: isLost(with: vanished), vanished)
    }

    /// Takes a socket that was opened. Without one it stays where it is until the next change of the networks.
    ///
    /// - Returns: Whether packets are sent over the new one from now on.
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
      return true
    }

    /// It moves no more: the server has been told that the connection is over.
    func stay() { mobility = .fixed }

    // MARK: silence

    func heard(at time: Instant) { lastHeard = time }

    /// Tells whether the system knows a way to the server now, as it does for another socket.
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

  /// A connection that moves from one path to another. On the event loop.
  protocol HTTP3Traveller: AnyObject, Sendable {
    /// The C layer's connection; nil once it is over.
    var handle: QUICHandle? { get }
    /// Packets are sent over `HTTP3Path.socket` from now on.
    func moved(from old: QUICSocket)
  }
#endif
