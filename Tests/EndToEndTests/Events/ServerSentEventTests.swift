import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ServerSentEventTests {
  private static func stream(_ text: String, _ faults: Fault...) -> Reply {
    Reply(headers: ["Content-Type": "text/event-stream; charset=utf-8"], body: .text(text), faults: faults)
  }

  private static let stop = Reply(204)

  /// Runs `body` with a session whose clock doesn't advance.
  private func serve(
    _ wire: Wire = .plain, _ replies: Reply..., body: (TestServer, URLSession, ManualClock) async throws -> Void
  ) async throws {
    try await wire.serve { server, configuration async throws in
      let clock = ManualClock()
      configuration.use(clock)
      configuration.timeoutIntervalForRequest = 86_400
      server.enqueue(contentsOf: replies)
      let session = URLSession(configuration: configuration)
      try await body(server, session, clock)
      session.invalidateAndCancel()
    }
  }

  /// Collects what a source delivers, beside the test.
  private func collect(_ source: URLSessionServerSentEventSource) -> Task<[String], any Error> {
    Task {
      var all: [String] = []
      for try await event in source { all.append(event.data) }
      return all
    }
  }

  @Test(arguments: Wire.allCases) func eventsOfBytesArriveAsTheyAreSent(_ wire: Wire) async throws {
    let gate = Gate()
    try await serve(wire, Self.stream("data: a\n\ndata: b\n\n", .stallAfter(bodyBytes: 9, gate: gate))) { server, session, _ async throws in
      let (bytes, _) = try await session.bytes(from: server.url())
      var events = bytes.serverSentEvents.makeAsyncIterator()
      #expect(try await events.next() == URLSessionServerSentEvent(data: "a"))
      gate.open()
      #expect(try await events.next() == URLSessionServerSentEvent(data: "b"))
      #expect(try await events.next() == nil)
    }
  }

  @Test(arguments: Wire.allCases) func jsonLinesOfBytesArriveAsTheyAreSent(_ wire: Wire) async throws {
    let gate = Gate()
    let reply = Reply(body: .text("[1]\n[2,\n"), faults: [.stallAfter(bodyBytes: 4, gate: gate)])
    try await serve(wire, reply) { server, session, _ async throws in
      let (bytes, _) = try await session.bytes(from: server.url())
      var values = bytes.jsonLines(of: [Int].self).makeAsyncIterator()
      #expect(try await values.next() == [1])
      gate.open()
      let error = await #expect(throws: URLSessionJSONLineError.self) { _ = try await values.next() }
      #expect(error?.line == 2)
    }
  }

  @Test(arguments: Wire.allCases) func endedStreamIsContinuedWithTheLastEventsID(_ wire: Wire) async throws {
    try await serve(
      wire, Self.stream("retry: 1500\nid: 7\ndata: a\n\nid: 8\n\nid: 9\ndata: lost"), Self.stream("data: b\n\n"), Self.stop
    ) { server, session, clock async throws in
      let collected = collect(session.serverSentEvents(from: server.url()))
      _ = try await server.waitForRequest(1)
      try await clock.waitForWake(within: 1.5)
      clock.advance(by: 1.5)
      _ = try await server.waitForRequest(2)
      try await clock.waitForWake(within: 1.5)
      clock.advance(by: 1.5)
      #expect(try await collected.value == ["a", "b"])
      #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "8", "8"])
      for request in server.requests {
        #expect(request.headers["Accept"] == "text/event-stream")
        #expect(request.headers["Cache-Control"] == "no-store")
      }
    }
  }

  @Test func connectionThatBreaksIsMadeAgainAfterThreeSeconds() async throws {
    try await serve(
      .plain, Self.stream("data: a\n\ndata: b\n\n", .disconnectAfterBodyBytes(12)), Self.stop
    ) { server, session, clock async throws in
      let collected = collect(session.serverSentEvents(from: server.url()))
      _ = try await server.waitForRequest(1)
      try await clock.waitForWake(within: 3)
      clock.advance(by: 2.9)
      #expect(server.requestCount == 1)
      clock.advance(by: 0.1)
      #expect(try await collected.value == ["a"])
    }
  }

  @Test func timeThatNoEventFollowsCountsForTheNextConnection() async throws {
    try await serve(.plain, Self.stream("data: a\n\nretry: 1500\n"), Self.stop) { server, session, clock async throws in
      let collected = collect(session.serverSentEvents(from: server.url()))
      _ = try await server.waitForRequest(1)
      try await clock.waitForWake(within: 1.5)
      clock.advance(by: 1.5)
      #expect(try await collected.value == ["a"])
    }
  }

  @Test func pausesGrowWhereNoEventArrives() async throws {
    try await serve(.plain, Self.stream(""), Self.stream(": nothing\n\n"), Self.stop) { server, session, clock async throws in
      let collected = collect(session.serverSentEvents(from: server.url()))
      _ = try await server.waitForRequest(1)
      try await clock.waitForWake(within: 3)
      clock.advance(by: 3)
      _ = try await server.waitForRequest(2)
      try await clock.waitForWake(within: 7.5)
      clock.advance(by: 5.9)
      #expect(server.requestCount == 2)
      clock.advance(by: 1.6)
      #expect(try await collected.value == [])
    }
  }

  @Test(arguments: [Reply(503), .text("no stream"), Reply(404, headers: ["Content-Type": "text/event-stream"])])
  func otherAnswersAreErrors(_ reply: Reply) async throws {
    try await serve(.plain, reply) { server, session, _ async throws in
      let error = await #expect(throws: URLSessionServerSentEventError.self) {
        try await collect(session.serverSentEvents(from: server.url())).value
      }
      guard case .unexpectedResponse(let response)? = error else {
        Issue.record("not a refused response: \(String(describing: error))")
        return
      }
      #expect((response as? HTTPURLResponse)?.statusCode == reply.status)
      #expect(error?.description.contains("status \(reply.status)") == true)
    }
  }

  @Test func withoutReconnectionTheStreamsEndIsTheEnd() async throws {
    try await serve(.plain, Self.stream("data: a\n\n")) { server, session, _ async throws in
      #expect(try await collect(session.serverSentEvents(from: server.url(), reconnection: nil)).value == ["a"])
      #expect(server.requestCount == 1)
    }
  }

  @Test func attemptsMayBeLimited() async throws {
    let port = try ClosedPort()
    let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/"))
    let configuration = URLSessionConfiguration.testing()
    let session = URLSession(configuration: configuration)
    let terms = URLSessionServerSentEventSource.Reconnection(initialDelay: .zero, maximumDelay: .zero, maximumAttempts: 2)
    let error = await #expect(throws: URLError.self) { try await collect(session.serverSentEvents(from: url, reconnection: terms)).value }
    #expect(error?.code == .cannotConnectToHost)
    session.invalidateAndCancel()
  }

  @Test func postSendsItsBodyWithEachConnection() async throws {
    try await serve(.plain, Self.stream("retry: 0\ndata: a\n\n"), Self.stop) { server, session, clock async throws in
      var request = URLRequest("POST", server.url(), body: Data("question".utf8))
      request.setValue("text/event-stream;q=1", forHTTPHeaderField: "Accept")
      request.setValue("3", forHTTPHeaderField: "Last-Event-ID")
      let loading = collect(session.serverSentEvents(for: request))
      // Not at once, whatever the server says.
      try await clock.waitForWake(within: 0.5)
      clock.advance(by: 0.5)
      #expect(try await loading.value == ["a"])
      #expect(server.requests.map(\.text) == ["question", "question"])
      #expect(server.requests.map { $0.headers["Accept"] } == ["text/event-stream;q=1", "text/event-stream;q=1"])
      #expect(server.requests.map { $0.headers["Last-Event-ID"] } == ["3", "3"])
    }
  }

  @Test func cancellationEndsThePauseAndTheLoad() async throws {
    let gate = Gate()
    try await serve(.plain, Self.stream("retry: 9000\ndata: a\n\n"), Self.stream("data: b\n\n", .stallAfter(bodyBytes: 2, gate: gate))) {
      server, session, clock async throws in
      let paused = collect(session.serverSentEvents(from: server.url()))
      _ = try await server.waitForRequest(1)
      try await clock.waitForWake(within: 9)
      paused.cancel()
      #expect(await #expect(throws: URLError.self) { try await paused.value }?.code == .cancelled)
      let loading = collect(session.serverSentEvents(from: server.url()))
      _ = try await server.waitForRequest(2)
      loading.cancel()
      #expect(await #expect(throws: URLError.self) { try await loading.value }?.code == .cancelled)
      gate.open()
      try await server.waitForExchanges(open: 0)
    }
  }

  @Test func tooLongAnEventEndsTheSource() async throws {
    try await serve(.plain, Self.stream("data: 0123456789\n\n")) { server, session, _ async throws in
      let error = await #expect(throws: URLSessionServerSentEventError.self) {
        try await collect(session.serverSentEvents(from: server.url(), maximumEventLength: 5)).value
      }
      #expect(error == .eventTooLong(limit: 5))
    }
  }
}
