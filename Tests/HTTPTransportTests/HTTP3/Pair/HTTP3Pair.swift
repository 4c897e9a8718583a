#if HTTP3
  import Foundation
  import LoadingModel
  import NIOCore
  import NIOEmbedded
  import ProtocolRules
  import Testing
  import URLLoadingTestKit

  @testable import HTTPTransport

  /// A client and a server of HTTP/3 in one thread, with a network of virtual time between them.
  ///
  /// The client is the connection that loads use, dialled as the pool dials it; the server is the C layer's. A test starts exchanges, moves the
  /// time and looks at what has come. Nothing waits: a test that is stopped for a while ends as any other.
  final class HTTP3Pair: @unchecked Sendable {
    // @unchecked: used by one test, step by step.

    /// How dialling has gone so far.
    final class Dialled: @unchecked Sendable {
      // @unchecked: used by one test, step by step.
      var connection: HTTP3Connection?
      var error: LoadError?
      /// As long as its handshake lasts.
      weak var opening: HTTP3Connection?
      /// Whether the error is that the server has fallen silent.
      var isSilence = false
    }

    final class Owner: AttemptOwner, @unchecked Sendable {
      // @unchecked: used by one test, step by step.
      var closed = 0
      var goneAway = 0
      var moved = 0
      var failed: [AlternativeEndpoint] = []
      func connectionGainedStreams(_ connection: any MultiplexedConnection) {}
      func connectionGoesAway(_ connection: any MultiplexedConnection) { goneAway += 1 }
      func connection(_ connection: any MultiplexedConnection, announces alternatives: String, of origin: Origin) {}
      func connectionClosed(_ connection: any MultiplexedConnection) { closed += 1 }
      func connectionMoved(_ connection: any MultiplexedConnection) { moved += 1 }
      func alternativeFailed(_ endpoint: AlternativeEndpoint, of origin: Origin, _ error: LoadError) { failed.append(endpoint) }
      func connectionBecameIdle(_ connection: HTTP1Connection) {}
      func connectionSwitched(_ connection: HTTP1Connection) {}
      func connectionTakesFollowers(_ connection: HTTP1Connection) {}
      func pipelineBroke(_ connection: HTTP1Connection) {}
      func connectionClosed(_ connection: HTTP1Connection, wasInUse: Bool) {}
      func questions(for attempt: ConnectAttempt) -> PeerChallengeHandler? { nil }
      func routeAttempt(for attempt: ConnectAttempt) -> RouteAttempt? { nil }
      var isDraining: Bool { false }
    }

    /// For `watcher`.
    final class FrameWatcher: ConnectionWatcher, @unchecked Sendable {
      // @unchecked: used by one test, step by step.
      private(set) var frames: [WatchedFrame] = []
      var watchesFrames: Bool { true }
      func happened(_ event: ConnectionEvent, isQUIC: Bool) {}
      func carried(_ frame: WatchedFrame) { frames.append(frame) }
    }

    /// The certificates of all tests: making keys takes time.
    private static let certificates = Result {
      let authority = try TestCertificateAuthority()
      return (pem: authority.pem, server: try authority.issue(hosts: [host]))
    }

    let network: DatagramNetwork
    let server: QUICServer
    let clock: LoopClock
    let owner = Owner()
    let memory = QUICMemory()
    let origin = Origin(scheme: "https", host: HTTP3Pair.host, port: 443)
    /// Whether a handshake ends whose server falls silent.
    var endsInSilence = false
    /// What the handshake asks the app; nil if nothing.
    var questions: PeerChallengeHandler?
    /// What the client's TLS is bound to.
    var policy = TLSPolicy.none
    var logs: TransparencyLogs?
    /// nil for the authority of all tests.
    var store: TrustStore?
    var watcher: (any ConnectionWatcher)?
    static let host = "10.0.0.99"
    private let roots: [Data]
    private let executor: LoopExecutor
    private var ended: [() -> Bool] = []
    private var loop: EmbeddedEventLoop { network.loop }

    private init(_ certificate: TestCertificate?) throws {
      let certificates = try HTTP3Pair.certificates.get()
      network = try DatagramNetwork()
      server = try QUICServer(network, certificate ?? certificates.server)
      clock = LoopClock(network.loop)
      executor = LoopExecutor(network.loop)
      roots = [certificates.pem]
    }

    /// Calls `body` with a pair; then all of it must be released, and nothing planned.
    ///
    /// - Parameter certificate: The server's; nil for that of all tests.
    static func run(presenting certificate: TestCertificate? = nil, _ body: (HTTP3Pair) throws -> Void) throws {
      let pair = try HTTP3Pair(certificate)
      defer { pair.finish() }
      try body(pair)
    }

    private func finish() {
      server.forgetConnections()
      network.finish()
      #expect(clock.planned == 0, "a wake is left over")
      #expect(ended.allSatisfy { $0() }, "a connection is kept")
    }

    /// Lets the time pass.
    func run(_ time: TimeAmount) { loop.advanceTime(by: time) }

    // MARK: connecting

    /// Begins to open a connection.
    ///
    /// - Parameter sendsEarly: Whether requests may be sent with the first packet, if there is a ticket for that.
    func dial(sendsEarly: Bool = false, isBesideTCP: Bool = false) -> Dialled {
      let dialled = Dialled()
      do throws(LoadError) {
        try dial(dialled, sendsEarly: sendsEarly, isBesideTCP: isBesideTCP)
      } catch {
        dialled.error = error
      }
      return dialled
    }

    private func dial(_ dialled: Dialled, sendsEarly: Bool, isBesideTCP: Bool) throws(LoadError) {
      let attempt = ConnectAttempt(1, Destination(origin), for: nil, offersHTTP2: true, isBesideTCP: isBesideTCP)
      attempt.timings.watcher = watcher
      var settings = TLSSettings(minimumVersion: 0x0304, maximumVersion: 0x0304, additionalRoots: roots)
      settings.applicationProtocols = ["h3"]
      settings.transparencyLogs = logs
      let security = HTTP3Security(
        origin: origin, settings: settings, policy: policy, identities: ClientIdentityCache(), tickets: memory.tickets,
        questions: questions, eventLoop: loop, store: store)
      var sockets = SocketSettings()
      sockets.opensDatagramChannel = { [network] address, _, began in network.open(address, began) }
      let endpoint = AlternativeEndpoint(host: origin.host, port: origin.port)
      let dial = HTTP3Dial(attempt, at: endpoint, security, memory, clock, loop, sockets, owner, sendsEarlyData: sendsEarly)
      dial.connect(HostCache(eventLoop: loop, clock: clock)).whenComplete { [self] result in
        do {
          let connection = try result.get()
          connection.watchHandshake(questions, endsInSilence: endsInSilence)
          ended.append { [weak connection] in connection == nil }
          loop.execute { self.proceed(connection, dialled) }
        } catch {
          dialled.error = TransportErrors.connecting(error)
        }
      }
    }

    private func proceed(_ connection: HTTP3Connection, _ dialled: Dialled) {
      dialled.opening = connection
      connection.proceed().whenComplete { result in
        switch result {
        case .success: dialled.connection = connection
        case .failure(let error):
          dialled.isSilence = error is HTTP3HandshakeSilence
          dialled.error = TransportErrors.connecting(error)
        }
      }
    }

    /// A connection whose handshake is over and confirmed.
    func connect() throws -> HTTP3Connection {
      let dialled = dial()
      run(.seconds(1))
      return try #require(dialled.connection, "\(dialled.error.map { "\($0)" } ?? "no error")")
    }

    /// A connection that sends requests with its first packet: another one before it has left a ticket, and is closed.
    func connectEarly(isRefused: Bool = false, isBesideTCP: Bool = false) throws -> HTTP3Connection {
      let first = try connect()
      let exchange = start(on: first)
      run(.seconds(2))
      try #require(exchange.answer.isComplete)
      first.close()
      run(.seconds(1))
      server.refusesEarlyData = isRefused
      return try #require(dial(sendsEarly: true, isBesideTCP: isBesideTCP).settled(loop).connection)
    }

    // MARK: exchanges

    func loadContext() -> LoadContext {
      LoadContext(executor: executor, clock: clock, request: LoadRequest(url: URL(string: "https://10.0.0.99/")), idleTimeout: 60)
    }

    /// - Parameter body: All of the request's body; nil for none.
    /// - Parameter ends: Whether nothing follows it.
    @discardableResult
    func start(
      _ method: String = "GET", on connection: HTTP3Connection, body: [UInt8]? = nil, ends: Bool = true, avoidsEarlyData: Bool = false
    ) -> ClientExchange {
      let exchange = Exchange(context: loadContext(), transport: connection)
      exchange.context.terms.avoidsEarlyData = avoidsEarlyData
      let request = OutgoingRequest(
        method: method, target: "/", headers: HeaderFields([("Host", "10.0.0.99")]), isChunked: false, closesAfter: false)
      _ = connection.start(exchange, request, body: body.map { ByteBuffer(bytes: $0) }, endsWithBody: ends)
      return ClientExchange(exchange)
    }
  }

  extension HTTP3Pair.Dialled {
    /// After what is due at once has run.
    fileprivate func settled(_ loop: EmbeddedEventLoop) -> HTTP3Pair.Dialled {
      loop.run()
      return self
    }
  }

  /// An exchange, and what of its answer has been read.
  final class ClientExchange {
    struct Answer {
      var status: Int?
      var body: [UInt8] = []
      var isComplete = false
      var error: LoadError?
    }

    let exchange: Exchange
    private var known = Answer()

    init(_ exchange: Exchange) { self.exchange = exchange }

    /// All that has come by now; reading it makes room for more.
    var answer: Answer {
      do throws(LoadError) {
        if known.status == nil, let head = try exchange.takeHead() { known.status = head.status }
        while let chunk = exchange.takeChunk() { known.body += chunk.readableBytesView }
        known.isComplete = try exchange.isAtEnd()
      } catch {
        known.error = error
      }
      return known
    }
  }
#endif
