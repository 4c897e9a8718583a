import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct HeaderTests {
  private static let ok: [RawStep] = [.readRequestHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")]

  /// The lines of the request that the first connection received.
  private static func lines(_ server: TestServer) -> [String] {
    String(decoding: server.received(), as: UTF8.self).components(separatedBy: "\r\n")
  }

  @Test(arguments: Wire.http1) func defaultFieldsAreTheseInThisOrder(_ wire: Wire) async throws {
    try await wire.serve(raw: HeaderTests.ok) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      _ = try await session.data(from: server.url("/path?query"))
      var lines = HeaderTests.lines(server)
      #expect(lines.suffix(2) == ["", ""])
      let agent = try #require(lines.first { $0.hasPrefix("User-Agent: ") })
      #expect(agent.hasSuffix("/1 URLLoadingSystem/\(LibraryVersion.current)"))
      let language = lines.first { $0.hasPrefix("Accept-Language: ") }
      let encoding = try #require(lines.first { $0.hasPrefix("Accept-Encoding: ") })
      if wire == .plain { #expect(encoding == "Accept-Encoding: gzip, deflate") }
      #expect(encoding.hasPrefix("Accept-Encoding: gzip, deflate"))
      lines.removeLast(2)
      let expected = [
        "GET /path?query HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Connection: keep-alive", "Accept: */*", agent, language, encoding,
      ]
      #expect(lines == expected.compactMap { $0 })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func dotSegmentsOfTheFirstURLAreRemoved(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/b", reply: Reply(302, headers: ["Location": "c/../d"]))
      server.route("/d", reply: .text("d"))
      let root = server.url().absoluteString
      let url = try #require(URL(string: root + "a/./../b?x=/../y#/../z"))
      let (text, response) = try await session.text(from: url)
      #expect(text == "d")
      #expect(response.url?.path == "/d")
      #expect(server.requests.map(\.uri) == ["/b?x=/../y", "/d"])
      session.invalidateAndCancel()
    }
  }

  @Test func defaultFieldsOverHTTP2AreTheseInThisOrder() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text(""))
      _ = try await session.data(from: server.url("/path?query"))
      let headers = server.requests[0].headers
      // The server shows ":authority" as Host.
      let expected = ["accept", "user-agent", headers["Accept-Language"].map { _ in "accept-language" }, "accept-encoding", "Host"]
      #expect(headers.map(\.name) == expected.compactMap { $0 })
      #expect(headers["Host"] == "127.0.0.1:\(server.port)")
      #expect(headers["Accept"] == "*/*")
      #expect(headers["User-Agent"]?.hasSuffix("/1 URLLoadingSystem/\(LibraryVersion.current)") == true)
      #expect(headers["Accept-Encoding"]?.hasPrefix("gzip, deflate") == true)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func requestsFieldsWinOverTheSessions(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      configuration.httpAdditionalHeaders = ["X-Both": "session", "X-Session": "session", "User-Agent": "Agent/Session"]
      let session = URLSession(configuration: configuration)
      server.enqueue(.text(""), .text(""))
      var request = URLRequest(url: server.url())
      request.setValue("request", forHTTPHeaderField: "x-both")
      let task = session.dataTask(with: request) { _, _, _ in }
      task.resume()
      let headers = try await server.waitForRequest(1).headers
      #expect(headers.all("X-Both") == ["request"])
      #expect(headers.all("X-Session") == ["session"])
      #expect(headers.all("User-Agent") == ["Agent/Session"])
      #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Session") == "session")
      #expect(task.originalRequest?.value(forHTTPHeaderField: "X-Session") == nil)
      request.setValue("Agent/Request", forHTTPHeaderField: "User-Agent")
      _ = try await session.data(for: request)
      #expect(server.requests[1].headers.all("User-Agent") == ["Agent/Request"])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func appMayReplaceDefaults(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.gzip(Data("decoded all the same".utf8)))
      var request = URLRequest(url: server.url())
      let own = ["Accept": "text/html", "Accept-Encoding": "gzip;q=0.5", "Accept-Language": "tlh", "Host": "example.test"]
      request.allHTTPHeaderFields = own
      #expect(try await session.text(for: request).0 == "decoded all the same")
      for (name, value) in own { #expect(server.requests[0].headers.all(name) == [value]) }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func framingFieldsAreTheLoaders(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text(""))
      var request = URLRequest("POST", server.url(), body: Data("four".utf8))
      request.allHTTPHeaderFields = [
        "Content-Length": "400", "Transfer-Encoding": "gzip", "Upgrade": "h2c", "Proxy-Authorization": "Basic x", "Connection": "close",
        "Keep-Alive": "timeout=5",
      ]
      _ = try await session.data(for: request)
      let received = server.requests[0]
      #expect(received.headers.all("Content-Length") == ["4"])
      #expect(received.text == "four")
      for name in ["Transfer-Encoding", "Upgrade", "Proxy-Authorization"] { #expect(received.headers[name] == nil) }
      // RFC 9113, 8.2.2: the fields of the connection.
      if wire.isMultiplexed { for name in ["Connection", "Keep-Alive"] { #expect(received.headers[name] == nil) } }
      session.invalidateAndCancel()
    }
  }

  @Test func connectionCloseIsHonoured() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("1"), .text("2"))
      var request = URLRequest(url: server.url())
      request.setValue("close", forHTTPHeaderField: "Connection")
      _ = try await session.data(for: request)
      #expect(server.requests[0].headers["Connection"] == "close")
      _ = try await session.data(from: server.url())
      #expect(server.acceptedConnections == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ["a\r\nX-Injected: 1", "a\nb", "a\rb", "a\0b"], Wire.allCases)
  func lineBreakInAnAdditionalHeaderIsAnErrorAndNothingIsSent(_ value: String, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text(""))
      configuration.httpAdditionalHeaders = ["X-Value": value]
      let session = URLSession(configuration: configuration)
      #expect(await session.failure(of: server.url())?.code == .badURL)
      #expect(server.acceptedConnections == 0)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ["a\r\nX-Injected: 1", "a\nb", "a\rb", "a\0b"], Wire.allCases)
  func fieldOfARequestWithALineBreakIsNotSent(_ value: String, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("ok"))
      var request = URLRequest(url: server.url())
      request.setValue(value, forHTTPHeaderField: "X-Value")
      request.setValue("1", forHTTPHeaderField: "X-Other")
      let session = URLSession(configuration: configuration)
      _ = try await session.data(for: request)
      let received = try await server.waitForRequest()
      #expect(received.headers["X-Value"] == nil && received.headers["X-Injected"] == nil && received.headers["X-Other"] == "1")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func invalidMethodAndFieldNameAreErrors(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      #expect(await session.failure(of: URLRequest("GET / HTTP/1.1\r\nX: y", server.url()))?.code == .badURL)
      var request = URLRequest(url: server.url())
      request.setValue("1", forHTTPHeaderField: "X Y: z\r\nA")
      #expect(await session.failure(of: request)?.code == .badURL)
      #expect(server.acceptedConnections == 0)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func bodyOnGetIsRefused(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let error = await session.failure(of: URLRequest("GET", server.url(), body: Data("x".utf8)))
      #expect(error?.code == .dataLengthExceedsMaximum)
      #expect(error?.errorCode == -1103)
      // As Apple's; what to do is the reason.
      #expect(error?.localizedDescription == "resource exceeds maximum size")
      #expect((error?.userInfo[NSLocalizedFailureReasonErrorKey] as? String)?.contains("use POST or PUT") == true)
      #expect(server.acceptedConnections == 0)
      session.invalidateAndCancel()
    }
  }
}
