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
  /// Owned by its connection and confined to the event loop. The connection is told of nothing but by what it hands in.
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
    /// What changed in the networks while it could not move: the addresses that vanished. nil if nothing did.
    private var missed: Set<String>?
    /// Attempts in a row that the C layer refused.
    private var refusals = 0
    private var suspicion: Scheduled<Void>?
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

    deinit { suspicion?.cancel() }

    /// The connection is over.
    func end() {
      suspicion?.cancel()
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

    /// What metrics are told of a connection that is there.
    func facts(of handle: QUICHandle, _ secured: HTTP3SecuredFacts, peer: SocketAddress?) -> ConnectionFacts {
      facts(socket.localAddress, socket.remoteAddress ?? peer, secured, facts(of: handle))
    }

    /// What is left to tell of one that isn't.
    func lastFacts(_ secured: HTTP3SecuredFacts, peer: SocketAddress?) -> ConnectionFacts { facts(nil, peer, secured, quic) }

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

    /// The handshake is confirmed.
    func confirm() {
      if case .fixed = mobility { mobility = .movable }
    }

    /// Whether it may move, now or when it has moved.
    var isMovable: Bool { if case .fixed = mobility { false } else { true } }

    /// Opens a socket on the path that the system prefers now; nil if it may not move, or is about to: then `takeMissedChange` tells of it later.
    ///
    /// - Parameter vanished: Addresses that have left the machine.
    func openAnother(_ vanished: Set<String>) -> EventLoopFuture<any Channel>? {
      guard case .movable = mobility else {
        missed = (missed ?? []).union(vanished)
        return nil
      }
      guard let remote = socket.remoteAddress else { return nil }
      mobility = .moving
      return QUICSocket.open(to: remote, on: eventLoop, settings: settings, traffic: purpose) { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(QUICSocket()) }
      }
    }

    /// The addresses that vanished while it could not move, now that it can; nil if nothing has changed meanwhile.
    func takeMissedChange() -> Set<String>? {
      guard case .movable = mobility else { return nil }
      return missed.take()
    }

    /// When to try again what the C layer has refused, for want of a connection ID perhaps; nil if it was refused too often.
    func pauseAfterRefusal() -> TimeAmount? {
      guard refusals > 0, refusals <= HTTP3Path.refusalLimit else { return nil }
      return .milliseconds(100 << Int64(refusals - 1))
    }

    private static let refusalLimit = 5

    /// Takes the socket that `openAnother` has brought. Without one it stays where it is until the next change of the networks.
    ///
    /// - Parameter evenIfSame: Whether it moves although its address would be the same.
    /// - Returns: Whether packets are sent over the new one from now on.
    func take(_ result: Result<any Channel, any Error>, of handle: QUICHandle, evenIfSame: Bool) -> Bool {
      mobility = .movable
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

    // MARK: silence

    func heard(at time: Instant) { lastHeard = time }

    /// Calls `lost` if nothing has come from the server for a while, which had to say something.
    func suspect(since asked: Instant, _ lost: @escaping @Sendable () -> Void) {
      guard suspicion == nil else { return }
      suspicion = eventLoop.scheduleTask(in: HTTP3Path.patience) { [weak self] in
        guard let self else { return }
        suspicion = nil
        if lastHeard < asked { lost() }
      }
    }

    private static let patience = TimeAmount.seconds(10)
  }
#endif
