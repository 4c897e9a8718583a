import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Proxies that refuse, break off or send nonsense.
@Suite(.timeLimit(.minutes(10))) struct ProxyFaultTests {
  private let secure = URL(string: "https://server.test/")

  private func underlying(_ error: URLError?) -> Int? { (error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code }

  /// The error of a load through a proxy that sends these bytes.
  private func failure(
    _ script: [RawStep], socks: Bool = false, of url: URL? = nil, clock: ManualClock? = nil
  ) async throws -> URLError? {
    try await TestServer.with(.raw(script)) { proxy async throws in
      let configuration = URLSessionConfiguration.testing(clock: clock)
      if socks { configuration.useSOCKS(proxy.port) } else { configuration.use(proxy.port) }
      let session = URLSession(configuration: configuration)
      defer { session.invalidateAndCancel() }
      return await session.failure(of: try #require(url ?? secure))
    }
  }

  @Test func proxyThatIsNotThereIsNamed() async throws {
    let closed = try ClosedPort()
    defer { withExtendedLifetime(closed) {} }
    let port = closed.number
    let configuration = URLSessionConfiguration.testing()
    configuration.use(port)
    let session = URLSession(configuration: configuration)
    let error = await session.failure(of: try #require(secure))
    #expect(error?.code == .cannotConnectToHost)
    #expect(underlying(error) == 310)
    #expect(error?.localizedDescription.contains("127.0.0.1:\(port)") == true)
    let plain = await session.failure(of: try #require(URL(string: "http://server.test/")))
    #expect(underlying(plain) == 306)
    session.invalidateAndCancel()
  }

  @Test(arguments: ["403 Forbidden", "502 Bad Gateway", "301 Elsewhere\r\nLocation: https://evil.test/"])
  func otherAnswersToCONNECTAreNotTheOriginsResponse(_ status: String) async throws {
    let answer = "HTTP/1.1 \(status)\r\nContent-Length: 4\r\n\r\nevil"
    let error = try await failure([.readRequestHead, .send(answer), .close])
    #expect(error?.code == .cannotConnectToHost)
    #expect(underlying(error) == 311)
  }

  @Test(arguments: [
    "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nmore", "HTTP/2 200\r\n\r\n", "HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n", "", "HTTP/1.1 200",
  ])
  func nonsenseInAnswerToCONNECTEndsTheLoad(_ answer: String) async throws {
    let error = try await failure([.readRequestHead, .send(answer), .close])
    #expect(error != nil)
    #expect(error?.code == .cannotConnectToHost || error?.code == .cannotParseResponse)
    #expect(error?.localizedDescription.contains("proxy") == true)
  }

  @Test func endlessHeadIsBounded() async throws {
    let error = try await failure([.readRequestHead, .send("HTTP/1.1 200 OK\r\nX: "), .sendRepeating(0x61, count: 1 << 22)])
    #expect(error?.code == .cannotParseResponse)
  }

  @Test func interimAnswersAreBounded() async throws {
    let interim = String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 40)
    let error = try await failure([.readRequestHead, .send(interim), .readToEnd])
    #expect(error?.code == .cannotConnectToHost)
  }

  @Test(arguments: ["HTTP/1.1 400 Bad\r\n\r\n", "\u{5}", "", "\u{5}\u{0}\u{0}"])
  func nonsenseFromSOCKSEndsTheLoad(_ answer: String) async throws {
    let error = try await failure([.read(count: 3), .send(answer), .close], socks: true)
    #expect(error?.code == .cannotConnectToHost)
  }

  @Test func silentProxyTimesOutWithTheRequest() async throws {
    let clock = ManualClock()
    try await TestServer.with(.raw([.readRequestHead])) { proxy async throws in
      let configuration = URLSessionConfiguration.testing(clock: clock)
      configuration.use(proxy.port)
      configuration.timeoutIntervalForRequest = 10
      let session = URLSession(configuration: configuration)
      let url = try #require(secure)
      let load = Task { await session.failure(of: url) }
      _ = try await proxy.waitForBytes(10)
      await session.barrier()
      clock.advance(by: 11)
      #expect(await load.value?.code == .timedOut)
      session.invalidateAndCancel()
    }
  }

  @Test func cancellingClosesTheTunnelBeingOpened() async throws {
    try await TestServer.with(.raw([.readRequestHead])) { proxy async throws in
      let configuration = URLSessionConfiguration.testing()
      configuration.use(proxy.port)
      let session = URLSession(configuration: configuration)
      let task = session.dataTask(with: try #require(secure))
      task.resume()
      _ = try await proxy.waitForBytes(10)
      task.cancel()
      try await proxy.waitForConnections(open: 0)
      session.invalidateAndCancel()
    }
  }
}
