import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Stream tasks through proxies.
@Suite(.timeLimit(.minutes(10))) struct StreamProxyTests {
  enum Way: CaseIterable {
    case connect, socks4, socks5

    func adjust(_ configuration: URLSessionConfiguration, _ proxy: TestProxy) {
      switch self {
      case .connect: configuration.use(proxy.port)
      case .socks4: configuration.useSOCKS(proxy.port, version4: true)
      case .socks5: configuration.useSOCKS(proxy.port)
      }
    }

    var kind: TestProxy.Kind {
      switch self {
      case .connect: .connect
      case .socks4: .socks4
      case .socks5: .socks5
      }
    }
  }

  private func serve(
    _ way: Way, _ steps: [RawStep], options: TestProxy.Options = .init(), recorder: StreamRecorder = StreamRecorder(),
    _ adjust: (URLSessionConfiguration, TestProxy) -> Void = { _, _ in }, _ body: (TestProxy, URLSessionStreamTask) async throws -> Void
  ) async throws {
    try await TestProxy.with(options) { proxy async throws in
      try await TestServer.with(.raw(steps)) { server async throws in
        let configuration = URLSessionConfiguration.testing()
        way.adjust(configuration, proxy)
        adjust(configuration, proxy)
        let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
        // Without a proxy no resolver has that name; and SOCKS 4 has the client look it up.
        let task = session.streamTask(withHostName: way == .socks4 ? "127.0.0.1" : "server.test", port: server.port)
        task.resume()
        try await body(proxy, task)
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: Way.allCases) func streamsGoThroughTheProxy(_ way: Way) async throws {
    try await serve(way, [.echo]) { proxy, task async throws in
      try await task.send("hello")
      #expect(try await task.text(atLeast: 5) == "hello")
      #expect(proxy.connections.map(\.kind) == [way.kind])
    }
  }

  @Test(arguments: Way.allCases) func theServerMaySpeakFirst(_ way: Way) async throws {
    for _ in 0..<20 {
      try await serve(way, [.send("220 ready\r\n"), .echo]) { _, task async throws in
        #expect(try await task.text(atLeast: 11) == "220 ready\r\n")
        try await task.send("hello")
        #expect(try await task.text(atLeast: 5) == "hello")
      }
    }
  }

  @Test func theGreetingMayComeWithTheProxysAnswer() async throws {
    var options = TestProxy.Options()
    options.connectAnswer = "HTTP/1.1 200 OK\r\n\r\n220 ready\r\n"
    try await serve(.connect, [.echo], options: options) { _, task async throws in
      #expect(try await task.text(atLeast: 11) == "220 ready\r\n")
    }
  }

  @Test func theProxysQuestionIsAnswered() async throws {
    var options = TestProxy.Options()
    options.challenge = "Basic realm=\"proxy\""
    options.accepts = { $0 != nil }
    try await serve(.connect, [.echo], options: options, { $0.use($1.port, login: ("user", "secret")) }) { proxy, task async throws in
      try await task.send("hello")
      #expect(try await task.text(atLeast: 5) == "hello")
      #expect(proxy.connections.last?.wasLetIn == true)
    }
  }

  @Test func aProxyThatRefusesFailsTheTask() async throws {
    var options = TestProxy.Options()
    options.connectAnswer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
    let recorder = StreamRecorder()
    try await serve(.connect, [.echo], options: options, recorder: recorder) { _, task async throws in
      #expect(await errorCode { _ = try await task.text() } == URLError.cannotConnectToHost.rawValue)
      #expect(await recorder.completed() == [.completed(URLError.cannotConnectToHost.rawValue)])
    }
  }
}
