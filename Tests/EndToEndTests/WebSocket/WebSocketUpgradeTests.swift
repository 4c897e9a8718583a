import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The opening handshake as a load like any other.
@Suite(.timeLimit(.minutes(10))) struct WebSocketUpgradeTests {
  @Test func otherAnswersAreABadServerResponse() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.server.route("/page", .GET, reply: .text("no socket here"))
      let task = bench.session.webSocketTask(with: bench.server.webSocketURL("/page"))
      task.resume()
      #expect(await errorCode { _ = try await task.receive() } == NSURLErrorBadServerResponse)
      #expect(await bench.recorder.completed() == [.completed(NSURLErrorBadServerResponse)])
      #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
      #expect(task.closeCode == .invalid)
    }
  }

  @Test(
    arguments: [
      ["Sec-WebSocket-Accept": "AAAAAAAAAAAAAAAAAAAAAAAAAAA="], ["Upgrade": "h2c"], ["Connection": ""], ["Sec-WebSocket-Protocol": "x"],
      ["Sec-WebSocket-Extensions": "x-made-up"],
    ] as [HeaderList])
  func wrongAnswersAreABadServerResponse(headers: HeaderList) async throws {
    try await WebSocketBench.with(.echo, headers: headers) { bench async throws in
      bench.task.resume()
      #expect(await bench.recorder.completed() == [.completed(NSURLErrorBadServerResponse)])
      #expect((bench.task.response as? HTTPURLResponse)?.statusCode == 101)
      try await bench.service.ended()
    }
  }

  @Test func redirectsAreFollowed() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      let target = bench.server.url("/socket").absoluteString
      bench.server.route("/old", .GET, reply: .redirect(to: target))
      bench.server.route("/older", .GET, reply: .redirect(to: "/old"))
      let task = bench.session.webSocketTask(with: bench.server.webSocketURL("/older"))
      task.resume()
      try await task.send(.string("x"))
      #expect(try await task.receive().text == "x")
      #expect(task.currentRequest?.url == bench.server.webSocketURL("/socket"))
    }
  }

  @Test func cookiesGoAndCome() async throws {
    try await WebSocketBench.with(.echo, headers: ["Set-Cookie": "fresh=1"]) { bench async throws in
      let url = bench.server.url("/socket")
      let storage = try #require(bench.session.configuration.httpCookieStorage)
      let cookie = try #require(HTTPCookie(properties: [.name: "a", .value: "b", .path: "/", .originURL: url]))
      storage.setCookie(cookie)
      bench.task.resume()
      await bench.recorder.opened()
      #expect(bench.server.requests.first?.headers["Cookie"] == "a=b")
      #expect(Set((storage.cookies(for: url) ?? []).map(\.name)) == ["a", "fresh"])
    }
  }

  @Test func loginsAreAskedFor() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      let service = bench.service
      bench.server.route("/private", .GET) { request in
        guard request.headers["Authorization"] == "Basic \(Data("user:pass".utf8).base64EncodedString())" else {
          return Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
        }
        return .webSocket(service)
      }
      let space = URLProtectionSpace(
        host: "127.0.0.1", port: bench.server.port, protocol: "http", realm: "r", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
      let credential = URLCredential(user: "user", password: "pass", persistence: .forSession)
      bench.session.configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space)
      let task = bench.session.webSocketTask(with: bench.server.webSocketURL("/private"))
      task.resume()
      try await task.send(.string("x"))
      #expect(try await task.receive().text == "x")
    }
  }

  @Test func otherSchemesAreRefused() async throws {
    let recorder = WebSocketRecorder()
    let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
    let url = try #require(URL(string: "file:///etc/hosts"))
    session.webSocketTask(with: url).resume()
    #expect(await recorder.completed() == [.completed(NSURLErrorUnsupportedURL)])
    session.invalidateAndCancel()
  }

  @Test func subprotocolsThatCannotBeSentAreRefused() async throws {
    try await WebSocketBench.with(.echo, protocols: ["not a token"]) { bench async throws in
      bench.task.resume()
      #expect(await bench.recorder.completed() == [.completed(NSURLErrorBadURL)])
      #expect(bench.server.acceptedConnections == 0)
    }
  }

  @Test func theHandshakeTimesOutButAnOpenSocketDoesNot() async throws {
    let clock = ManualClock()
    let configuration = URLSessionConfiguration.testing(clock: clock)
    configuration.timeoutIntervalForRequest = 10
    try await WebSocketBench.with(.echo, configuration: configuration) { bench async throws in
      let gate = Gate()
      bench.server.route("/slow", .GET, reply: .text("").with(.delayBeforeHeaders(gate)))
      let slow = bench.session.webSocketTask(with: bench.server.webSocketURL("/slow"))
      bench.task.resume()
      await bench.recorder.opened()
      slow.resume()
      try await gate.reached()
      await bench.session.barrier()
      clock.advance(by: 30)
      #expect(await errorCode { _ = try await slow.receive() } == NSURLErrorTimedOut)
      gate.open()
      clock.advance(by: 3600)
      try await bench.task.send(.string("x"))
      #expect(try await bench.task.receive().text == "x")
    }
  }

  @Test func metricsTellOfTheHandshake() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
      let task = session.webSocketTask(with: bench.server.webSocketURL("/socket"))
      task.resume()
      try await task.send(.string("x"))
      _ = try await task.receive()
      task.cancel(with: .normalClosure, reason: nil)
      #expect(await recorder.completion(of: task) == nil)
      let transaction = try #require(recorder.metrics?.transactionMetrics.first)
      #expect((transaction.response as? HTTPURLResponse)?.statusCode == 101)
      #expect(transaction.networkProtocolName == "http/1.1")
      session.invalidateAndCancel()
    }
  }
}
