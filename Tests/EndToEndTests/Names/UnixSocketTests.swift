import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Loads over Unix sockets, by URL and by configuration.
@Suite(.timeLimit(.minutes(10))) struct UnixSocketTests {
  private static let abstractName = "@urls-\(UUID().uuidString.prefix(8))"

  private func serve(
    _ wire: Wire, at path: String? = nil, _ body: (TestServer, UnixRelay, URLSessionConfiguration) async throws -> Void
  ) async throws {
    try await wire.serve { server, configuration async throws in
      let relay = try await UnixRelay(to: server.port, at: path)
      do {
        try await body(server, relay, configuration)
      } catch {
        await relay.close()
        throw error
      }
      await relay.close()
    }
  }

  private func scheme(_ wire: Wire) -> String { wire == .plain ? "http+unix" : "https+unix" }

  @Test(arguments: Wire.overTCP) func urlsNameTheSocket(_ wire: Wire) async throws {
    try await serve(wire) { server, relay, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("one"), .text("two"))
      let recorder = DelegateRecorder()
      let (data, response) = try await session.data(for: URLRequest(url: relay.url("/a?b", scheme: scheme(wire))), delegate: recorder)
      #expect(data == Data("one".utf8) && response.url == relay.url("/a?b", scheme: scheme(wire)))
      let transaction = try #require(recorder.metrics?.transactionMetrics.last)
      #expect(transaction.networkProtocolName == wire.protocolName)
      #expect(transaction.remoteAddress == nil && transaction.domainLookupStartDate == nil && transaction.connectStartDate != nil)
      #expect(try await session.text(from: relay.url("/", scheme: scheme(wire))).0 == "two")
      let requests = server.requests
      #expect(requests.map(\.uri) == ["/a?b", "/"] && requests[0].connection.ordinal == requests[1].connection.ordinal)
      #expect(requests[0].headers["host"] == "localhost" || requests[0].headers[":authority"] == "localhost")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.overTCP) func configurationsNameTheSocket(_ wire: Wire) async throws {
    try await serve(wire) { server, relay, configuration async throws in
      configuration.unixSocketPath = relay.path
      configuration.allowsCellularAccess = false
      configuration.waitsForConnectivity = true
      configuration.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": 1]
      configuration.requiresDNSSECValidation = true
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("ok"))
      let url = try #require(URL(string: "\(wire == .plain ? "http" : "https")://localhost/path"))
      var request = URLRequest(url: url)
      request.assumesHTTP3Capable = true
      #expect(try await session.text(for: request).0 == "ok")
      session.invalidateAndCancel()
    }
  }

  @Test func abstractSocketsAreReached() async throws {
    try await serve(.plain, at: UnixSocketTests.abstractName) { server, relay, configuration async throws in
      configuration.unixSocketPath = relay.path
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("one"), .text("two"))
      #expect(try await session.text(from: #require(URL(string: "http://any.example/"))).0 == "one")
      #expect(try await session.text(from: relay.url("/")).0 == "two")
      #expect(server.requests[0].headers["host"] == "any.example")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ["ws+unix", "http+unix", "ws"]) func webSocketsAreOpened(_ scheme: String) async throws {
    try await serve(.plain) { server, relay, configuration async throws in
      server.route("/", reply: .webSocket(WebSocketService(.echo)))
      if scheme == "ws" { configuration.unixSocketPath = relay.path }
      let session = URLSession(configuration: configuration)
      let url = scheme == "ws" ? try #require(URL(string: "ws://any.example/")) : relay.url("/", scheme: scheme)
      let task = session.webSocketTask(with: url)
      task.resume()
      try await task.send(.string("hello"))
      let message = try await task.receive()
      guard case .string("hello") = message else { throw URLError(.badServerResponse) }
      task.cancel(with: .normalClosure, reason: nil)
      session.invalidateAndCancel()
    }
  }

  @Test func streamTasksAreOpened() async throws {
    try await Wire.plain.serve(raw: [.send("hello"), .close]) { server, configuration async throws in
      let relay = try await UnixRelay(to: server.port)
      configuration.unixSocketPath = relay.path
      let session = URLSession(configuration: configuration)
      let task = session.streamTask(withHostName: "any.example", port: 7)
      task.resume()
      #expect(try await task.readData(ofMinLength: 5, maxLength: 5, timeout: 0).0 == Data("hello".utf8))
      session.invalidateAndCancel()
      await relay.close()
    }
  }

  @Test(arguments: Wire.overTCP) func socketsShareNothing(_ wire: Wire) async throws {
    try await serve(wire) { first, one, configuration async throws in
      let second = try await TestServer.start(wire.options())
      let other = try await UnixRelay(to: second.port)
      configuration.httpCookieStorage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: UUID().uuidString)
      configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil)
      let session = URLSession(configuration: configuration)
      for (server, name) in [(first, "one"), (second, "two")] {
        server.route("/") { request in
          let cookie = request.headers["cookie"] ?? "none"
          return Reply(headers: ["Cache-Control": "max-age=60", "Set-Cookie": "at=\(name)"], body: .text("\(name) \(cookie)"))
        }
        server.route("/again") { .text($0.headers["cookie"] ?? "none") }
      }
      #expect(try await session.text(from: one.url("/", scheme: scheme(wire))).0 == "one none")
      #expect(try await session.text(from: other.url("/", scheme: scheme(wire))).0 == "two none")
      #expect(try await session.text(from: one.url("/", scheme: scheme(wire))).0 == "one none")
      #expect(try await session.text(from: other.url("/again", scheme: scheme(wire))).0 == "at=two")
      #expect(try await session.text(from: one.url("/again", scheme: scheme(wire))).0 == "at=one")
      #expect(first.requests.count == 2 && second.requests.count == 2)
      #expect(configuration.httpCookieStorage?.cookies(for: one.url("/", scheme: scheme(wire)))?.map(\.value) == ["one"])
      session.invalidateAndCancel()
      await other.close()
      await second.shutdown()
    }
  }

  @Test func loginsBelongToOneSocket() async throws {
    try await serve(.plain) { server, relay, configuration async throws in
      let other = try await UnixRelay(to: server.port)
      server.route("/") { request in
        request.headers["authorization"] == nil ? Reply(401, headers: ["WWW-Authenticate": "Basic realm=here"]) : .text("in")
      }
      let session = URLSession(configuration: configuration)
      let delegate = ChallengeAnswerer("me", "secret")
      for (socket, count) in [(relay, 1), (relay, 1), (other, 2)] {
        #expect(try await session.data(for: URLRequest(url: socket.url("/")), delegate: delegate).0 == Data("in".utf8))
        #expect(delegate.asked.count == count)
      }
      session.invalidateAndCancel()
      await other.close()
    }
  }

  @Test func redirectsStayOnTheSocketOrLeaveIt() async throws {
    try await serve(.plain) { server, relay, configuration async throws in
      let network = try await TestServer.start(.http)
      let session = URLSession(configuration: configuration)
      server.enqueue(.redirect(to: "/next"), .redirect(to: "\(relay.url("/third"))"), .redirect(to: network.url("/away").absoluteString))
      network.enqueue(.text("away"), .redirect(to: "\(relay.url("/secret"))"))
      var request = URLRequest(url: relay.url("/first"))
      request.setValue("Bearer x", forHTTPHeaderField: "Authorization")
      #expect(try await session.text(for: request).0 == "away")
      #expect(server.requests.map(\.uri) == ["/first", "/next", "/third"])
      #expect(
        server.requests.allSatisfy { $0.headers["authorization"] == "Bearer x" } && network.requests[0].headers["authorization"] == nil)
      // No server of the network reaches the sockets of this machine.
      #expect(await session.failure(of: network.url())?.code == .unsupportedURL)
      #expect(server.requests.count == 3)
      session.invalidateAndCancel()
      await network.shutdown()
    }
  }

  @Test func transportSecurityLeavesLocalSocketsAlone() async throws {
    try await serve(.plain) { server, relay, configuration async throws in
      configuration.appTransportSecurity = URLSessionAppTransportSecurity()
      let byURL = URLSession(configuration: configuration)
      configuration.unixSocketPath = relay.path
      let bySocket = URLSession(configuration: configuration)
      server.enqueue(.text("one"), .text("two"))
      #expect(try await byURL.text(from: relay.url("/")).0 == "one")
      #expect(try await bySocket.text(from: #require(URL(string: "http://any.example/"))).0 == "two")
      byURL.invalidateAndCancel()
      bySocket.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: InstalledServer.find("nginx") != nil, "nginx isn't installed")) func nginxAnswers() async throws {
    let large = String(repeating: "0123456789abcdef", count: 1 << 17)
    let server = try await InstalledServer.nginx(
      "listen unix:FOLDER/web.sock;", files: ["root/small.txt": "small", "root/large.txt": large])
    defer { server.stop() }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.unixSocketPath = server.folder.appending(path: "web.sock").path
    let session = URLSession(configuration: configuration)
    for _ in 0..<3 { #expect(try await session.text(from: #require(URL(string: "http://localhost/small.txt"))).0 == "small") }
    let download = try await session.download(from: #require(URL(string: "http://localhost/large.txt"))).0
    #expect(try Data(contentsOf: download) == Data(large.utf8))
    try FileManager.default.removeItem(at: download)
    session.invalidateAndCancel()
  }

  @Test(.enabled(if: InstalledServer.find("caddy") != nil, "caddy isn't installed")) func caddyAnswers() async throws {
    let large = String(repeating: "0123456789abcdef", count: 1 << 17)
    let server = try await InstalledServer(
      try #require(InstalledServer.find("caddy")), ["run", "--config", "CONFIG", "--adapter", "caddyfile", "--pidfile", "pid"],
      configuration: """
        {
          admin off
          auto_https off
          storage file_system FOLDER/data
        }
        http://localhost {
          bind unix/FOLDER/web.sock
          root * FOLDER/root
          encode gzip
          file_server
        }
        """, files: ["root/small.txt": "small", "root/large.txt": large])
    defer { server.stop() }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.unixSocketPath = server.folder.appending(path: "web.sock").path
    // Later versions write the file before they listen.
    configuration.retryPolicy = URLSessionRetryPolicy(maximumAttempts: 10)
    let session = URLSession(configuration: configuration)
    for _ in 0..<3 { #expect(try await session.text(from: #require(URL(string: "http://localhost/small.txt"))).0 == "small") }
    let (text, response) = try await session.text(from: #require(URL(string: "http://localhost/large.txt")))
    #expect(text == large && response.value(forHTTPHeaderField: "Server") == "Caddy")
    let byURL = URLSession(configuration: .ephemeral)
    let path = try #require(server.folder.appending(path: "web.sock").path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    #expect(try await byURL.text(from: #require(URL(string: "http+unix://\(path)/small.txt"))).0 == "small")
    session.invalidateAndCancel()
    byURL.invalidateAndCancel()
  }
}
