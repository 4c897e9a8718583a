import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// The servers of one case.
final class Scene: Sendable {
  let chosen: Case
  let server: TestServer
  /// Another origin, to which redirects lead.
  let other: TestServer
  let proxy: TestProxy?
  /// Where the server's datagrams are taken and nothing else.
  let relay: DatagramRelay?
  private let reserved: ReservedPort?
  let uploads: (server: UploadServer, url: URL)?
  /// Where stalls wait until the case is over.
  let stall: Gate
  /// Has an end only where the app's timeouts are part of the case.
  let clock = ManualClock()
  private let visits = Mutex<[String: Int]>([:])
  /// The largest number of connections that were open when a request came.
  private let crowd = Mutex(0)

  private static let authority = Result { try TestCertificateAuthority() }
  private static let certificate = Result { try authority.get().issue() }
  private static let identity = Result { try authority.get().issueClient() }

  private init(
    _ chosen: Case, _ server: TestServer, _ other: TestServer, _ proxy: TestProxy?, _ relay: (DatagramRelay, ReservedPort)?,
    _ uploads: (UploadServer, URL)?, _ stall: Gate
  ) {
    reserved = relay?.1
    self.stall = stall
    (self.chosen, self.server, self.other, self.proxy, self.relay) = (chosen, server, other, proxy, relay?.0)
    self.uploads = uploads.map { (server: $0.0, url: $0.1) }
  }

  /// Where clients find the servers.
  var ports: [Int] { [server.port, other.port] + [proxy?.port, relay?.port].compactMap(\.self) }

  var mostConnections: Int { crowd.withLock { $0 } }

  /// Runs `body` with the servers of a case, which are shut down afterwards.
  static func with<Value: Sendable>(_ chosen: Case, _ body: (Scene) async throws -> Value) async throws -> Value {
    let stall = Gate()
    let other = try await TestServer.start()
    let server = try await TestServer.start(options(chosen, stall))
    let proxy = chosen.way == .direct ? nil : try await TestProxy.start(proxyOptions(chosen))
    var relay: (DatagramRelay, ReservedPort)?
    #if HTTP3
      if chosen.wire == .udpOnly { relay = try await startRelay(to: server.port) }
    #endif
    defer { stall.open() }
    let value: Value
    if chosen.work == .resumableUpload {
      let held = Watched<Value?>(nil)
      try await UploadServer.with(uploadFaults(chosen), options(.init(), wire: chosen.wire)) { uploads, url in
        let scene = Scene(chosen, server, other, proxy, relay, (uploads, url), stall)
        let value = try await body(scene)
        held.update { $0 = value }
      }
      guard let kept = held.read({ $0 }) else { throw CancellationError() }
      value = kept
    } else {
      let scene = Scene(chosen, server, other, proxy, relay, nil, stall)
      scene.addRoutes()
      value = try await body(scene)
    }
    await relay?.0.shutdown()
    await proxy?.shutdown()
    await server.shutdown()
    await other.shutdown()
    return value
  }

  /// A relay at a port where TCP is refused.
  private static func startRelay(to port: Int) async throws -> (DatagramRelay, ReservedPort) {
    while true {
      let relay = try await DatagramRelay.start(to: port)
      if let reserved = ReservedPort(relay.port) { return (relay, reserved) }
      await relay.shutdown()
    }
  }

  private static func uploadFaults(_ chosen: Case) -> [UploadServer.Fault] {
    switch chosen.conduct {
    case .cutInBody: [.close(after: 300_000), .close(after: 200_000)]
    case .stallsInBody: [.stall(after: 300_000)]
    default: []
    }
  }

  // MARK: options

  private static func options(_ options: TestServer.Options, wire: Wire) throws -> TestServer.Options {
    guard wire != .plain else { return options }
    let certificate = try certificate.get()
    var secure = wire == .tls ? TestServer.Options.https(certificate) : .http2(certificate)
    if wire.mayUseQUIC { secure = .http3(certificate) }
    secure.behaviour = options.behaviour
    return secure
  }

  private static func options(_ chosen: Case, _ stall: Gate) throws -> TestServer.Options {
    var options = TestServer.Options()
    if chosen.work == .stream { options.behaviour = .raw(chosen.steps(stall: stall)) }
    options = try Scene.options(options, wire: chosen.wire)
    options.recordedBodyLimit = 1 << 21
    options.allowsExtendedConnect = chosen.wire.isMultiplexed
    #if HTTP3
      // A client that gives up within its handshake may do so without a word.
      options.http3.idleTimeout = 20
      options.http3.isAdvertised = chosen.wire == .alternative
      if chosen.wire.isEarly { options.http3.earlyData = chosen.wire == .forgotten ? .forgotten : .accepted }
    #endif
    switch chosen.certificate {
    case .none: break
    case .optional: options.clientCertificates = .optional(try authority.get())
    case .required: options.clientCertificates = .required(try authority.get())
    }
    return options
  }

  private static func proxyOptions(_ chosen: Case) -> TestProxy.Options {
    var options = TestProxy.Options()
    if chosen.way == .proxyWithLogin {
      options.challenge = "Basic realm=\"proxy\""
      options.accepts = { $0 == Users.authorization }
    }
    if chosen.way == .socksWithLogin { options.socksLogin = (Users.name, Users.password) }
    return options
  }

  // MARK: what the app uses

  /// The client's certificate, for those that are asked for one.
  var identity: SecIdentity? {
    guard let issued = try? Scene.identity.get() else { return nil }
    return SecIdentity(pem: issued.chainPEM, key: issued.privateKeyPEM)
  }

  var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.testing(trusting: chosen.wire.isSecure ? try? Scene.authority.get() : nil)
    switch chosen.wire {
    case .plain, .tls, .h2: break
    #if HTTP3
      case .h3: configuration.httpVersions = .http3Only
      case .early, .forgotten:
        configuration.httpVersions = .http3Only
        configuration.enablesEarlyData = true
      case .alternative, .udpOnly: configuration.httpVersions = .all
    #endif
    }
    use(chosen.way, in: configuration)
    configuration.httpMaximumConnectionsPerHost = chosen.connections.number
    configuration.interceptors = Interceptor(chosen).map { [$0] } ?? []
    configuration.httpShouldSetCookies = chosen.keeping == .cookies
    configuration.urlCache = chosen.keeping == .cache ? URLCache(memoryCapacity: 8 << 20, diskCapacity: 0, directory: nil) : nil
    if chosen.action == .timeOut {
      configuration.use(clock)
      configuration.timeoutIntervalForRequest = 10
    }
    // How long a refusal over TCP waits for HTTP/3 isn't a matter of how busy the machine is.
    if relay != nil { configuration.use(clock) }
    return configuration
  }

  private func use(_ way: Way, in configuration: URLSessionConfiguration) {
    guard let port = proxy?.port else { return }
    switch way {
    case .direct: break
    case .proxy, .proxyWithLogin:
      configuration.connectionProxyDictionary = [
        "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": port, "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": port,
      ]
    case .socks, .socksWithLogin:
      var settings: [AnyHashable: Any] = ["SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": port]
      if way == .socksWithLogin { settings[kCFStreamPropertySOCKSUser] = Users.name }
      if way == .socksWithLogin { settings[kCFStreamPropertySOCKSPassword] = Users.password }
      configuration.connectionProxyDictionary = settings
    }
  }

  /// Where a task begins.
  func url(_ path: String) -> URL {
    guard let relay else { return server.url(path) }
    return URL(string: "https://127.0.0.1:\(relay.port)\(path)") ?? server.url(path)
  }

  var webSocketURL: URL {
    let url = server.url("/socket")
    return URL(string: "ws" + url.absoluteString.dropFirst(4)) ?? url
  }

  // MARK: routes

  private func addRoutes() {
    let good = chosen.goodReply
    server.route("/warm", reply: .text("warm"))
    server.route("/bye", reply: Reply.text("bye").with(.goAway(isProcessed: true)))
    server.route("/final", reply: good)
    // It has no cookies of its own: each that comes is another's.
    let fields = HeaderList(chosen.fields.filter { $0.name != "Set-Cookie" })
    other.route("/final", reply: Reply(headers: fields, body: .pattern(count: chosen.size.count)))
    let faulty = chosen.reply(stall: stall, elsewhere: other.url("/final", host: "localhost"))
    if chosen.work == .webSocket {
      return server.route("/socket", reply: .webSocket(WebSocketService(chosen.webSocketConduct(stall: stall))))
    }
    guard !chosen.isReplyFixed else { return server.route("/task", reply: faulty) }
    server.route("/task") { [weak self] request in self?.answer(request, good, faulty) ?? Reply(503) }
  }

  private func answer(_ request: RecordedRequest, _ good: Reply, _ faulty: Reply) -> Reply {
    let open = server.openConnections
    crowd.withLock { $0 = max($0, open) }
    if chosen.login == .basic, request.headers["Authorization"] != Users.authorization {
      return Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""], body: .text("who?"))
    }
    if chosen.work == .resumedDownload { return answer(partOf: good, request) }
    let visit = visits.withLock { visits in
      visits[request.headers[Users.field] ?? "", default: 0] += 1
      return visits[request.headers[Users.field] ?? ""] ?? 0
    }
    return chosen.isOnce == .yes && visit > 1 ? good : faulty
  }

  /// The first half and nothing more, and then what follows it.
  private func answer(partOf good: Reply, _ request: RecordedRequest) -> Reply {
    let count = chosen.size.count
    guard let range = request.headers["Range"], let offset = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }), offset < count
    else { return good.with(.stallAfter(bodyBytes: count / 2, gate: stall)) }
    var reply = Reply(206, headers: chosen.fields, body: .pattern(from: offset, count: count - offset))
    reply.headers.add("Content-Range", "bytes \(offset)-\(count - 1)/\(count)")
    return reply
  }
}
