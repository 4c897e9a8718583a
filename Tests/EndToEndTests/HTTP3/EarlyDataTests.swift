import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Requests in the first flight of a resumed connection (0-RTT; RFC 9001, 4.6).
@Suite(.timeLimit(.minutes(10)), .enabled(if: Wire.hasHTTP3, "a build without HTTP/3")) struct EarlyDataTests {
  /// What became of early data on the connections of a request that has ended.
  private final class Recorder: NSObject, URLSessionTaskDelegate {
    private let facts = Mutex<[LoadingModel.QUICFacts?]>([])

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      facts.withLock { $0 = metrics.transactionMetrics.map(\.quic) }
    }

    /// On the last of them.
    var earlyData: LoadingModel.QUICFacts.EarlyData? { facts.withLock { $0.last??.earlyData } }
    /// How often the request was sent.
    var attempts: Int { facts.withLock(\.count) }
  }

  /// A load of a class that may answer challenges takes only tickets of connections about which the class was asked. From here on this one
  /// is known not to.
  private func introduceRecorder() async throws {
    try await Wire.tls.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("got"))
      _ = try await session.data(from: server.url(), delegate: Recorder())
      session.invalidateAndCancel()
    }
  }

  /// The session's time is `clock`'s: a connection with early data is given up when nothing has answered for a moment, which takes longer on
  /// a busy machine.
  private func serve(
    _ earlyData: TestServer.HTTP3.EarlyData, enables: Bool = true, _ clock: ManualClock = ManualClock(),
    interceptors: [any URLSessionInterceptor] = [], _ body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    try await introduceRecorder()
    try await Wire.h3.serve({ $0.http3.earlyData = earlyData }) { server, configuration async throws in
      configuration.use(clock)
      configuration.enablesEarlyData = enables
      configuration.interceptors = interceptors
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("got"))
      server.route("/bye", reply: .text("bye").with(.goAway(isProcessed: true)))
      server.route("/", .POST) { .text("\($0.bodyLength)") }
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  /// A load whose connection leaves a ticket; the next load opens another.
  private func prepare(_ server: TestServer, _ session: URLSession) async throws {
    #expect(try await session.text(from: server.url("/bye")).0 == "bye")
  }

  /// The loads after the first, with what became of their early data.
  private func load(_ request: URLRequest, _ session: URLSession) async throws -> (String, LoadingModel.QUICFacts.EarlyData?) {
    let recorder = Recorder()
    let (data, _) = try await session.data(for: request, delegate: recorder)
    return (String(decoding: data, as: UTF8.self), recorder.earlyData)
  }

  @Test func safeRequestGoesWithTheFirstFlight() async throws {
    try await serve(.accepted) { server, session async throws in
      try await prepare(server, session)
      let (text, earlyData) = try await load(URLRequest(url: server.url()), session)
      #expect(text == "got" && earlyData == .accepted)
      #expect(server.acceptedConnections == 2 && server.requests.count == 2)
    }
  }

  /// Requests that are sent early have chosen their address. `localhost` has one at which this server isn't.
  @Test(arguments: [TestServer.HTTP3.EarlyData.accepted, .refused, .forgotten])
  func addressAtWhichNothingHasAnsweredIsNotChosen(_ earlyData: TestServer.HTTP3.EarlyData) async throws {
    try await serve(earlyData) { server, session async throws in
      for _ in 0..<3 {
        #expect(try await session.text(from: server.url("/bye", host: "localhost")).0 == "bye")
        #expect(try await session.text(from: server.url("/", host: "localhost")).0 == "got")
      }
    }
  }

  /// RFC 9001, 4.6.2: the same connection carries it once more.
  @Test func refusedRequestIsSentAgain() async throws {
    try await serve(.refused) { server, session async throws in
      try await prepare(server, session)
      let (text, earlyData) = try await load(URLRequest(url: server.url()), session)
      #expect(text == "got")
      #expect(earlyData == .refused)
      #expect(server.acceptedConnections == 2 && server.requests.count == 2)
      // The connection is as good as any other.
      #expect(try await session.text(for: URLRequest("POST", server.url(), body: Data(count: 100_000))).0 == "100000")
      #expect(server.acceptedConnections == 2)
    }
  }

  /// What an interceptor has made of a request goes with the first flight; a refusal of that is inside of `next`, and so is what follows a 425.
  @Test(arguments: [TestServer.HTTP3.EarlyData.accepted, .refused, .forgotten])
  func interceptorsSeeOneResponse(_ earlyData: TestServer.HTTP3.EarlyData) async throws {
    let log = Around.Log()
    let noting = Around { request, next in
      var request = request
      request.setValue("here", forHTTPHeaderField: "X-Seen")
      let response = try await next(request)
      log.add("\(response.statusCode ?? 0)")
      return response
    }
    try await serve(earlyData, interceptors: [noting]) { server, session async throws in
      try await prepare(server, session)
      let (text, _) = try await load(URLRequest(url: server.url()), session)
      #expect(text == "got")
      #expect(log.all == ["200", "200"])
      #expect(server.requests.allSatisfy { $0.headers["X-Seen"] == "here" })
    }
  }

  /// RFC 8470, 5.2. What is too early once more is the answer.
  @Test(arguments: [1, 2]) func requestThatIsTooEarlyIsSentAgain(_ count: Int) async throws {
    try await serve(.accepted) { server, session async throws in
      try await prepare(server, session)
      for _ in 0..<count { server.enqueue(Reply(425, body: .text("early"))) }
      let recorder = Recorder()
      let (data, response) = try await session.data(for: URLRequest(url: server.url()), delegate: recorder)
      #expect(String(decoding: data, as: UTF8.self) == (count == 1 ? "got" : "early"))
      #expect((response as? HTTPURLResponse)?.statusCode == (count == 1 ? 200 : 425))
      #expect(recorder.attempts == 2 && server.requests.count == 3)
    }
  }

  @Test(arguments: [1, 20]) func refusedRequestsAllEndOnce(_ count: Int) async throws {
    try await serve(.refused) { server, session async throws in
      for _ in 0..<5 {
        try await prepare(server, session)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
          for _ in 0..<count { group.addTask { try await session.text(from: server.url()).0 } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "got", count: count))
      }
    }
  }

  /// RFC 8470, 2.3: an attacker could repeat it.
  @Test func requestThatIsNotSafeWaitsForTheHandshake() async throws {
    try await serve(.accepted) { server, session async throws in
      try await prepare(server, session)
      let (text, _) = try await load(URLRequest("POST", server.url(), body: Data(count: 10)), session)
      #expect(text == "10")
      #expect(server.requests.count == 2)
    }
  }

  /// A body that comes in pieces waits with its request.
  @Test(arguments: [TestServer.HTTP3.EarlyData.accepted, .refused, .forgotten])
  func longBodyWaitsForTheHandshake(_ earlyData: TestServer.HTTP3.EarlyData) async throws {
    try await serve(earlyData) { server, session async throws in
      try await prepare(server, session)
      let (text, _) = try await load(URLRequest("POST", server.url(), body: Data(count: 500_000)), session)
      #expect(text == "500000")
    }
  }

  // MARK: with a delegate that is asked about servers

  /// A server that no longer knows its tickets has to be asked about again: early requests have left the line of those that wait.
  @Test(arguments: [1, 20]) func serverThatHasForgottenItsTicketsIsAskedAboutAgain(_ count: Int) async throws {
    try await serve(.forgotten) { server, session async throws in
      let judge = ChallengeDelegate(.performDefaultHandling)
      let request = URLRequest(url: server.url())
      _ = try await session.data(for: URLRequest(url: server.url("/bye")), delegate: judge)
      let texts = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<count {
          let request = number % 4 == 3 ? URLRequest("POST", server.url(), body: Data(count: 3)) : request
          group.addTask { String(decoding: try await session.data(for: request, delegate: judge).0, as: UTF8.self) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(texts.count { $0 == "got" || $0 == "3" } == count)
      #expect(judge.trusts.count == 2)
    }
  }

  @Test func appThatRefusesTheServerThenEndsItsLoad() async throws {
    try await serve(.forgotten) { server, session async throws in
      _ = try await session.data(for: URLRequest(url: server.url("/bye")), delegate: ChallengeDelegate(.performDefaultHandling))
      let failure = await session.failure(of: URLRequest(url: server.url()), delegate: ChallengeDelegate(.cancelAuthenticationChallenge))
      #expect(failure?.code == .cancelled)
      #expect(server.requests.count == 1)
    }
  }

  /// What one delegate has confirmed doesn't speak for the certificate of another handshake.
  @Test func delegateIsAskedAboutTheServerThatAnothersTicketLedTo() async throws {
    try await serve(.forgotten) { server, session async throws in
      _ = try await session.data(for: URLRequest(url: server.url("/bye")), delegate: ChallengeDelegate(.performDefaultHandling))
      let judge = ChallengeDelegate(.cancelAuthenticationChallenge)
      async let unasked = session.text(from: server.url()).0
      let failure = await session.failure(of: URLRequest(url: server.url()), delegate: judge)
      #expect(failure?.code == .cancelled)
      #expect(judge.trusts.count == 1)
      #expect(try await unasked == "got")
    }
  }

  @Test func nothingIsSentEarlyUnlessTheAppWantsIt() async throws {
    try await serve(.accepted, enables: false) { server, session async throws in
      try await prepare(server, session)
      let (text, earlyData) = try await load(URLRequest(url: server.url()), session)
      #expect(text == "got" && earlyData == .unused)
    }
  }

  /// What a server on the way has swallowed is sent again, on another connection.
  @Test func requestThatNothingAnswersIsSentAgain() async throws {
    let clock = ManualClock()
    try await serve(.accepted, clock) { server, session async throws in
      try await DatagramRelay.with(server.port) { relay async throws in
        let url = try #require(URL(string: "https://127.0.0.1:\(relay.port)/"))
        #expect(try await session.text(from: url.appending(path: "bye")).0 == "bye")
        relay.conduct.isBlackhole = true
        let recorder = Recorder()
        async let data = session.data(for: URLRequest(url: url), delegate: recorder).0
        try await clock.waitForWake(within: 1)
        clock.advance(by: 1)
        await session.barrier()
        relay.conduct.isBlackhole = false
        #expect(try await data == Data("got".utf8))
        #expect(recorder.attempts == 2)
      }
    }
  }
}
