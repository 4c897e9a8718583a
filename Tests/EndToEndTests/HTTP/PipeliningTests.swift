import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Requests that follow one another on a connection of HTTP/1.1 (RFC 9112, 9.3.2). The servers here read several before they answer any.
@Suite(.timeLimit(.minutes(10))) struct PipeliningTests {
  private static func answer(_ text: String, _ fields: String = "", version: String = "1.1") -> RawStep {
    .send("HTTP/\(version) 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\(fields)\r\n\(text)")
  }

  /// A first request, which shows that the server can.
  private static let proof: [RawStep] = [.readRequestHead, answer("proof")]

  /// What loads ended with: their body, or the code of their error.
  private final class Outcomes: Sendable {
    private let state = Mutex<[String: String]>([:])
    private let one = Signal()

    func begin(_ session: URLSession, _ request: URLRequest) -> URLSessionDataTask {
      let path = request.url?.path ?? ""
      let task = session.dataTask(with: request) { [self] data, _, error in
        let text = data.map { String(decoding: $0, as: UTF8.self) } ?? ""
        state.withLock { $0[path] = error.map { "\(($0 as NSError).code)" } ?? text }
        one.send()
      }
      task.resume()
      return task
    }

    func all(_ count: Int) async -> [String: String] {
      for _ in 0..<count { await one.wait() }
      return state.withLock { $0 }
    }
  }

  /// Runs `body` with a session that may have one connection, which has served once.
  private func serve(
    _ scripts: [[RawStep]], pipelines: Bool = true, _ wire: Wire = .plain,
    _ body: (TestServer, URLSession, Outcomes) async throws -> Void
  ) async throws {
    try await wire.serve({ $0.behaviour = .rawInTurn(scripts) }) { server, configuration async throws in
      configuration.httpMaximumConnectionsPerHost = 1
      configuration.httpShouldUsePipelining = pipelines
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url("/0")).0 == "proof")
      try await body(server, session, Outcomes())
      session.invalidateAndCancel()
    }
  }

  private func begin(_ paths: [String], _ server: TestServer, _ session: URLSession, _ outcomes: Outcomes) -> [URLSessionDataTask] {
    paths.map { outcomes.begin(session, URLRequest(url: server.url($0))) }
  }

  /// Serves as many requests with a body as are asked for, one after the other.
  private static func serving(_ count: Int, _ text: String = "again") -> [RawStep] {
    (0..<count).flatMap { _ in [RawStep.readRequestHead, answer(text)] }
  }

  @Test(arguments: Wire.http1) func answersComeInTheOrderOfTheRequests(_ wire: Wire) async throws {
    let several = Array(repeating: RawStep.readRequestHead, count: 4) + ["1", "2", "3", "4"].map { Self.answer($0) }
    try await serve([Self.proof + several + Self.serving(2, "5")], wire) { server, session, outcomes async throws in
      _ = begin(["/1", "/2", "/3", "/4", "/5", "/6"], server, session, outcomes)
      #expect(await outcomes.all(6) == ["/1": "1", "/2": "2", "/3": "3", "/4": "4", "/5": "5", "/6": "5"])
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test func requestsCanAskForItThemselves() async throws {
    let several = Array(repeating: RawStep.readRequestHead, count: 2) + [Self.answer("1"), Self.answer("2")]
    // The first request of this session asks for nothing and so shows nothing: the next one does.
    try await serve([Self.proof + Self.serving(1) + several], pipelines: false) { server, session, outcomes async throws in
      func request(_ path: String) -> URLRequest {
        var request = URLRequest(url: server.url(path))
        request.httpShouldUsePipelining = true
        return request
      }
      #expect(try await session.text(for: request("/again")).0 == "again")
      for path in ["/1", "/2"] { _ = outcomes.begin(session, request(path)) }
      #expect(await outcomes.all(2) == ["/1": "1", "/2": "2"])
    }
  }

  @Test func withoutBeingAskedNothingFollows() async throws {
    let gate = Gate()
    let script = Self.proof + [.readRequestHead, .wait(gate), Self.answer("1"), .readRequestHead, Self.answer("2")]
    try await serve([script], pipelines: false) { server, session, outcomes async throws in
      try await expectNoFollowers(server, session, outcomes, gate)
    }
  }

  /// Two loads, the first of which is held up by `gate`: the second isn't sent before.
  private func expectNoFollowers(_ server: TestServer, _ session: URLSession, _ outcomes: Outcomes, _ gate: Gate) async throws {
    _ = begin(["/1", "/2"], server, session, outcomes)
    try await gate.reached()
    try await elsewhere(session)
    #expect(Self.heads(server) == 2)
    gate.open()
    #expect(await outcomes.all(2) == ["/1": "1", "/2": "2"])
  }

  /// Returns when a load that begins now has ended: those before it have sent what they send, or wait in line.
  private func elsewhere(_ session: URLSession) async throws {
    try await TestServer.with { other async throws in
      other.route("/", reply: .text("ok"))
      for _ in 0..<3 { _ = try await session.data(from: other.url()) }
    }
  }

  private static func heads(_ server: TestServer) -> Int {
    String(decoding: server.received(), as: UTF8.self).components(separatedBy: "\r\n\r\n").count - 1
  }

  @Test func whatChangesSomethingNeitherFollowsNorIsFollowed() async throws {
    let script = Self.proof + Self.serving(3)
    try await serve([script]) { server, session, outcomes async throws in
      _ = outcomes.begin(session, URLRequest("PUT", server.url("/1")))
      _ = outcomes.begin(session, URLRequest(url: server.url("/2")))
      _ = outcomes.begin(session, URLRequest("DELETE", server.url("/3")))
      #expect(await outcomes.all(3) == ["/1": "again", "/2": "again", "/3": "again"])
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test func serverOfHTTP10ShowsNothing() async throws {
    let gate = Gate()
    func old(_ text: String) -> RawStep { Self.answer(text, "Connection: keep-alive\r\n", version: "1.0") }
    let script = [.readRequestHead, old("proof"), .readRequestHead, .wait(gate), old("1")] + Self.serving(1, "2")
    try await serve([script]) { server, session, outcomes async throws in
      try await expectNoFollowers(server, session, outcomes, gate)
    }
  }

  /// A load that takes its time, or is suspended, holds up those behind it for a while only.
  @Test func whoStandsBehindASlowReaderGoesElsewhere() async throws {
    let (begun, first, second) = (Gate(), Gate(), Gate())
    let size = 8 << 20
    let slow: [RawStep] = [
      .readRequestHead, .wait(begun), .readRequestHead, .wait(first), .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
      .sendRepeating(7, count: size), Self.answer("late"),
    ]
    let other = [.readRequestHead, .wait(second), Self.answer("2")] + Self.serving(1)
    try await Wire.plain.serve({ $0.behaviour = .rawInTurn([Self.proof + slow, other]) }) { server, configuration async throws in
      let clock = ManualClock()
      configuration.use(clock)
      configuration.httpMaximumConnectionsPerHost = 2
      configuration.httpShouldUsePipelining = true
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url("/0")).0 == "proof")
      let reading = Task { try await session.bytes(from: server.url("/slow")).0 }
      try await begun.reached()
      begun.open()
      let outcomes = Outcomes()
      _ = outcomes.begin(session, URLRequest(url: server.url("/2")))
      try await second.reached()
      _ = outcomes.begin(session, URLRequest(url: server.url("/1")))
      try await first.reached()
      first.open()
      var iterator = try await reading.value.makeAsyncIterator()
      #expect(try await iterator.next() == 7)
      second.open()
      #expect(await outcomes.all(1) == ["/2": "2"])
      // Passes the time to each planned look: where the reader has made progress since the last one, another is planned.
      let passing = Task {
        while true {
          try await clock.waitForWake(within: 5)
          clock.advance(by: 5)
        }
      }
      #expect(await outcomes.all(1) == ["/1": "again", "/2": "2"])
      passing.cancel()
      var count = 1
      while try await iterator.next() != nil { count += 1 }
      #expect(count == size)
      session.invalidateAndCancel()
    }
  }

  // MARK: connections that end

  @Test(arguments: [RawStep.close, .reset])
  func unansweredOnesAreSentAgain(_ end: RawStep) async throws {
    let several = Array(repeating: RawStep.readRequestHead, count: 3) + [Self.answer("1"), end]
    try await serve([Self.proof + several, Self.serving(3)]) { server, session, outcomes async throws in
      _ = begin(["/1", "/2", "/3"], server, session, outcomes)
      let outcome = await outcomes.all(3)
      #expect(outcome["/2"] == "again" && outcome["/3"] == "again")
      // A reset may take with it what had been sent.
      #expect(outcome["/1"] == "1" || outcome["/1"] == "again" || end.isReset)
      #expect(server.acceptedConnections == 2)
    }
  }

  @Test func serverThatAnnouncesTheEndIsNotMistrusted() async throws {
    let several = Array(repeating: RawStep.readRequestHead, count: 3) + [Self.answer("1", "Connection: close\r\n"), .close]
    let second = Self.serving(2) + Array(repeating: RawStep.readRequestHead, count: 2) + [Self.answer("4"), Self.answer("5")]
    try await serve([Self.proof + several, second]) { server, session, outcomes async throws in
      _ = begin(["/1", "/2", "/3"], server, session, outcomes)
      #expect(await outcomes.all(3) == ["/1": "1", "/2": "again", "/3": "again"])
      #expect(server.acceptedConnections == 2)
    }
  }

  @Test func serverThatBreaksOffIsNotTriedAgain() async throws {
    let several = Array(repeating: RawStep.readRequestHead, count: 2) + [.close]
    let gate = Gate()
    let second = Self.serving(2) + [.readRequestHead, .wait(gate), Self.answer("3")] + Self.serving(1, "4")
    try await serve([Self.proof + several, second]) { server, session, outcomes async throws in
      _ = begin(["/1", "/2"], server, session, outcomes)
      #expect(await outcomes.all(2) == ["/1": "again", "/2": "again"])
      _ = begin(["/3", "/4"], server, session, outcomes)
      try await gate.reached()
      try await elsewhere(session)
      #expect(String(decoding: server.received(onConnection: 2), as: UTF8.self).components(separatedBy: "\r\n\r\n").count == 4)
      gate.open()
      #expect(await outcomes.all(2).filter { $0.key > "/2" } == ["/3": "3", "/4": "4"])
    }
  }

  @Test func faultOfOneAnswerIsNotTheOthers() async throws {
    let several = Array(repeating: RawStep.readRequestHead, count: 3) + [.send("nonsense\r\n\r\n"), .close]
    try await serve([Self.proof + several, Self.serving(2)]) { server, session, outcomes async throws in
      _ = begin(["/1", "/2", "/3"], server, session, outcomes)
      #expect(await outcomes.all(3) == ["/1": "\(URLError.Code.cannotParseResponse.rawValue)", "/2": "again", "/3": "again"])
    }
  }

  // MARK: loads that end

  @Test func answerOfACancelledLoadIsReadPast() async throws {
    let gate = Gate()
    let several = Array(repeating: RawStep.readRequestHead, count: 3) + [.wait(gate)] + ["1", "2", "3"].map { Self.answer($0) }
    try await serve([Self.proof + several + Self.serving(1)]) { server, session, outcomes async throws in
      let tasks = begin(["/1", "/2", "/3"], server, session, outcomes)
      try await gate.reached()
      tasks[1].cancel()
      #expect(await outcomes.all(1) == ["/2": "\(NSURLErrorCancelled)"])
      gate.open()
      #expect(await outcomes.all(2) == ["/1": "1", "/2": "\(NSURLErrorCancelled)", "/3": "3"])
      #expect(try await session.text(from: server.url("/4")).0 == "again")
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test func cancelledLoadWhoseTurnItIsTakesNobodyAlong() async throws {
    let gate = Gate()
    let several = Array(repeating: RawStep.readRequestHead, count: 3) + [.wait(gate), .close]
    try await serve([Self.proof + several, Self.serving(2)]) { server, session, outcomes async throws in
      let tasks = begin(["/1", "/2", "/3"], server, session, outcomes)
      try await gate.reached()
      tasks[0].cancel()
      #expect(await outcomes.all(3) == ["/1": "\(NSURLErrorCancelled)", "/2": "again", "/3": "again"])
      gate.open()
    }
  }

  @Test func largeAnswerThatNobodyWantsEndsTheConnection() async throws {
    let gate = Gate()
    let several =
      Array(repeating: RawStep.readRequestHead, count: 3) + [
        .wait(gate), Self.answer("1"),
        .send("HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n"),
        .sendRepeating(0x61, count: 50_000_000),
      ]
    try await serve([Self.proof + several, Self.serving(1)]) { server, session, outcomes async throws in
      let tasks = begin(["/1", "/2", "/3"], server, session, outcomes)
      try await gate.reached()
      tasks[1].cancel()
      _ = await outcomes.all(1)
      gate.open()
      #expect(await outcomes.all(2) == ["/1": "1", "/2": "\(NSURLErrorCancelled)", "/3": "again"])
    }
  }

  // MARK: a server that others wrote

  @Test(.enabled(if: InstalledServer.find("nginx") != nil, "nginx isn't installed"))
  func nginxAnswersHundredsInOrder() async throws {
    // It closes after every 23rd, whatever has been sent by then.
    let files = Dictionary(uniqueKeysWithValues: (0..<40).map { ("root/\($0).txt", String(repeating: "\($0);", count: $0 * $0 * 5 + 1)) })
    let server = try await InstalledServer.nginx("listen 127.0.0.1:PORT; keepalive_requests 23;", files: files)
    defer { server.stop() }
    let configuration = URLSessionConfiguration.testing()
    configuration.httpMaximumConnectionsPerHost = 2
    configuration.httpShouldUsePipelining = true
    let session = URLSession(configuration: configuration)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for n in 0..<400 {
        let url = try server.url("/\(n % 40).txt")
        group.addTask {
          let expected = String(repeating: "\(n % 40);", count: (n % 40) * (n % 40) * 5 + 1)
          return try await session.text(from: url).0 == expected
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    session.invalidateAndCancel()
  }
}

extension RawStep {
  fileprivate var isReset: Bool { "\(self)".contains("reset") }
}
