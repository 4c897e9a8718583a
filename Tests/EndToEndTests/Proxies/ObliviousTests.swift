import Foundation
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Oblivious HTTP (RFC 9458) with a relay and a gateway in one server: what each sees, and what the app gets.
@Suite(.timeLimit(.minutes(10))) struct ObliviousTests {
  /// A request as the gateway reads it.
  private struct Inner: Sendable {
    var method = ""
    var authority = ""
    var path = ""
    var fields: [String: String] = [:]
    var body = Data()

    init?(_ message: Data) {
      var reader = BinaryHTTP.Reader(bytes: message)
      guard reader.integer() == 0, let method = reader.bytes(), reader.bytes() == Data("https".utf8), let authority = reader.bytes(),
        let path = reader.bytes(), let section = reader.bytes(), let body = reader.bytes()
      else { return nil }
      (self.method, self.authority, self.path) = (Self.text(method), Self.text(authority), Self.text(path))
      self.body = body
      var lines = BinaryHTTP.Reader(bytes: section)
      while let name = lines.bytes(), let value = lines.bytes() { fields[Self.text(name)] = Self.text(value) }
    }

    private static func text(_ bytes: Data) -> String { String(decoding: bytes, as: UTF8.self) }
  }

  private struct Answer: Sendable {
    var status: UInt64 = 200
    var fields: [(String, String)] = []
    var content = Data()
    var trailers: [(String, String)] = []

    var message: Data {
      var message = Data([1])
      BinaryHTTP.append(status, to: &message)
      for part in [Self.section(fields), content, Self.section(trailers)] {
        BinaryHTTP.append(UInt64(part.count), to: &message)
        message += part
      }
      return message
    }

    private static func section(_ fields: [(String, String)]) -> Data {
      var section = Data()
      for text in fields.flatMap({ [$0.0, $0.1] }) {
        BinaryHTTP.append(UInt64(text.utf8.count), to: &section)
        section += Data(text.utf8)
      }
      return section
    }
  }

  private final class Gateway: Sendable {
    let configuration: Data
    let seen = Mutex<[Inner]>([])
    private let privateKey: Data

    init() throws { (configuration, privateKey) = try #require(ObliviousKey.make()) }

    func reply(_ request: RecordedRequest, _ answer: (Inner) -> Answer) -> Reply {
      guard let opened = ObliviousKey.open(Data(request.body), privateKey: privateKey), let inner = Inner(opened.request) else {
        return Reply(400)
      }
      seen.withLock { $0.append(inner) }
      guard let sealed = opened.answer.seal(answer(inner).message) else { return Reply(500) }
      return Reply(headers: ["Content-Type": "message/ohttp-res"], body: .bytes(sealed))
    }
  }

  private func with(
    _ wire: Wire, change: (URLSessionConfiguration) -> Void = { _ in }, keys: Data? = nil,
    answer: @escaping @Sendable (Inner) -> Answer, _ body: (URLSession, TestServer, Gateway) async throws -> Void
  ) async throws {
    try await wire.serve({ _ in }) { server, configuration async throws in
      let gateway = try Gateway()
      server.route("/relay/*") { gateway.reply($0, answer) }
      let endpoint = NWEndpoint.hostPort(host: "127.0.0.1", port: NWEndpoint.Port(rawValue: UInt16(server.port)) ?? 1)
      let hop =
        wire == .h3
        ? ProxyConfiguration.RelayHop(http3RelayEndpoint: endpoint, additionalHTTPHeaderFields: ["X-Relay": "yes"])
        : ProxyConfiguration.RelayHop(http2RelayEndpoint: endpoint, additionalHTTPHeaderFields: ["X-Relay": "yes"])
      let proxy = ProxyConfiguration(
        obliviousHTTPRelay: hop, relayResourcePath: "/relay/to", gatewayKeyConfig: keys ?? gateway.configuration,
        matchDomains: ["hidden.test"])
      configuration.proxyConfigurations = [proxy]
      change(configuration)
      let session = URLSession(configuration: configuration)
      try await body(session, server, gateway)
      session.invalidateAndCancel()
    }
  }

  private let url = URL(string: "https://api.hidden.test/a?b=c")!

  @Test(arguments: Wire.secure) func relaySeesWhoAndGatewayWhat(_ wire: Wire) async throws {
    let change: (URLSessionConfiguration) -> Void = { $0.httpAdditionalHeaders = ["X-Session": "s", "Authorization": "Bearer hush"] }
    try await with(
      wire, change: change, answer: { Answer(fields: [("content-type", "text/plain"), ("x-path", $0.path)], content: $0.body) }
    ) {
      session, server, gateway async throws in
      var request = URLRequest(url: url)
      request.httpMethod = "PUT"
      request.setValue("q", forHTTPHeaderField: "X-Request")
      let (data, response) = try await session.upload(for: request, from: Data(count: 200_000))
      #expect(data == Data(count: 200_000))
      let http = try #require(response as? HTTPURLResponse)
      #expect(http.statusCode == 200 && http.url == url && http.mimeType == "text/plain")
      #expect(http.value(forHTTPHeaderField: "X-Path") == "/a?b=c")

      let inner = try #require(gateway.seen.withLock { $0 }.first)
      #expect(inner.method == "PUT" && inner.authority == "api.hidden.test")
      #expect(inner.fields["x-request"] == "q" && inner.fields["x-session"] == "s" && inner.fields["authorization"] == "Bearer hush")
      #expect(inner.fields["user-agent"] != nil && inner.fields["host"] == nil && inner.fields["connection"] == nil)

      let outer = try #require(server.requests.first)
      #expect(server.requests.count == 1 && outer.method == "POST" && outer.path == "/relay/to")
      #expect(outer.headers["Content-Type"] == "message/ohttp-req" && outer.headers["X-Relay"] == "yes")
      for name in ["X-Session", "X-Request", "Authorization", "User-Agent", "Cookie", "Accept-Language"] {
        #expect(outer.headers[name] == nil, "\(name)")
      }
    }
  }

  @Test(arguments: Wire.secure) func everythingAboveTheRelayWorks(_ wire: Wire) async throws {
    let answer: @Sendable (Inner) -> Answer = { inner in
      switch inner.path {
      case "/redirect": Answer(status: 302, fields: [("location", "/cookie")])
      case "/cookie": Answer(fields: [("set-cookie", "a=1; path=/"), ("cache-control", "max-age=600")], content: Data("fresh".utf8))
      case "/login" where inner.fields["authorization"] == nil: Answer(status: 401, fields: [("www-authenticate", "Basic realm=\"r\"")])
      default: Answer(fields: [("content-type", "text/plain")], content: Data((inner.fields["cookie"] ?? "none").utf8))
      }
    }
    let change: (URLSessionConfiguration) -> Void = { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil) }
    try await with(wire, change: change, answer: answer) { session, _, gateway async throws in
      let base = try #require(URL(string: "https://user:secret@hidden.test/"))
      #expect(try await session.text(from: base.appending(path: "redirect")).0 == "fresh")
      #expect(try await session.text(from: base.appending(path: "cookie")).0 == "fresh")
      #expect(try await session.text(from: base.appending(path: "shows")).0 == "a=1")
      #expect(try await session.text(from: base.appending(path: "login")).0 == "a=1")
      let paths = gateway.seen.withLock { $0.map(\.path) }
      // The cookie's page is from the cache the second time.
      #expect(paths == ["/redirect", "/cookie", "/shows", "/login", "/login"])
    }
  }

  /// RFC 9110, 6.5.1: what belongs before the body isn't taken from behind it.
  @Test func trailersAreTheAnswersButForThoseOfAHead() async throws {
    let answer = Answer(content: Data("x".utf8), trailers: [("x-sum", "1"), ("set-cookie", "a=1"), ("content-type", "text/html")])
    try await with(.h2, answer: { _ in answer }) { session, _, _ async throws in
      let (chunks, _) = try await session.chunks(from: url)
      #expect(try await chunks.collect(upTo: 10) == Data("x".utf8))
      #expect(chunks.trailerFields == ["x-sum": "1"])
      #expect(session.configuration.httpCookieStorage?.cookies?.isEmpty != false)
    }
  }

  @Test func answersThatAreNoneEndTheLoad() async throws {
    try await with(.h2, answer: { _ in Answer() }) { session, server, _ async throws in
      for reply in [
        Reply(502), Reply(400), Reply(200, headers: ["Content-Type": "text/html"], body: .bytes(Data("<p>".utf8))),
        Reply(200, headers: ["Content-Type": "message/ohttp-res"], body: .bytes(Data(count: 100))),
        Reply(200, headers: ["Content-Type": "message/ohttp-res"]),
      ] {
        server.enqueue(reply)
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect([.badServerResponse, .cannotDecodeRawData].contains(error?.code), "\(String(describing: error))")
      }
      #expect(try await session.data(from: url).0.isEmpty)
    }
  }

  @Test func nothingGoesAroundTheRelay() async throws {
    try await with(.h2, answer: { _ in Answer() }) { session, server, gateway async throws in
      // Other hosts aren't the relay's, and the relay's own pages are reached directly.
      server.route("/page", reply: .text("direct"))
      #expect(try await session.text(from: server.url("/page")).0 == "direct")
      #expect(gateway.seen.withLock { $0.isEmpty })
      let socket = session.webSocketTask(with: try #require(URL(string: "wss://hidden.test/socket")))
      socket.resume()
      let refusal = await #expect(throws: URLError.self) { try await socket.receive() }
      #expect(refusal?.code == .cannotConnectToHost)
      #expect(refusal?.localizedDescription.contains("oblivious relay") == true)
    }
    try await with(.h2, keys: Data([1, 2, 3]), answer: { _ in Answer() }) { session, server, _ async throws in
      let refusal = await #expect(throws: URLError.self) { try await session.data(from: url) }
      #expect(refusal?.localizedDescription.contains("gatewayKeyConfig") == true)
      #expect(server.requests.isEmpty)
    }
  }

  @Test func cancelledLoadEndsThoughItsBodyPauses() async throws {
    try await with(.h2, answer: { _ in Answer() }) { session, server, _ async throws in
      var (input, output): (InputStream?, OutputStream?)
      Stream.getBoundStreams(withBufferSize: 16, inputStream: &input, outputStream: &output)
      let writer = PausingWriter(try #require(output), size: 16)
      var request = URLRequest(url: url)
      request.httpMethod = "PUT"
      request.httpBodyStream = input
      let recorder = DelegateRecorder()
      let task = session.dataTask(with: request)
      task.delegate = recorder
      task.resume()
      await writer.taken.wait()
      task.cancel()
      #expect((await recorder.completion(of: task) as? URLError)?.code == .cancelled)
      await writer.ended.wait()
      #expect(server.requests.isEmpty)
    }
  }

  @Test func cancelledLoadEnds() async throws {
    let gate = Gate()
    try await with(.h2, answer: { _ in Answer() }) { session, server, _ async throws in
      server.enqueue(
        Reply(headers: ["Content-Type": "message/ohttp-res"], body: .bytes(Data(count: 1000))).with(.stallAfter(bodyBytes: 10, gate: gate)))
      let url = url
      let load = Task { try await session.data(from: url) }
      while server.requests.isEmpty { await Task.yield() }
      load.cancel()
      let error = await #expect(throws: URLError.self) { try await load.value }
      #expect(error?.code == .cancelled)
      gate.open()
      #expect(try await session.data(from: url).0.isEmpty)
    }
  }
}
