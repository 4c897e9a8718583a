import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct PoolTests {
  @Test(arguments: Wire.http1) func loadsBeyondTheLimitWait(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      configuration.httpMaximumConnectionsPerHost = 2
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.route("/held", reply: .text("ok").with(.delayBeforeHeaders(gate)))
      let loads = (0..<20).map { _ in Task { try await session.text(from: server.url("/held")).0 } }
      try await gate.reached(2)
      try await settle(server)
      #expect(gate.arrivals == 2)
      gate.open()
      for load in loads { #expect(try await load.value == "ok") }
      #expect(server.requests.filter { $0.path == "/held" }.map(\.connection.ordinal).max().map { $0 <= 3 } == true)
      session.invalidateAndCancel()
    }
  }

  @Test func connectionUsedLastIsUsedNext() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/a", reply: .text("a").with(.delayBeforeHeaders(server.gate("a"))))
      server.route("/b", reply: .text("b").with(.delayBeforeHeaders(server.gate("b"))))
      server.route("/c", reply: .text("c"))
      let a = Task { try await session.text(from: server.url("/a")).0 }
      let b = Task { try await session.text(from: server.url("/b")).0 }
      try await server.gate("a").reached()
      try await server.gate("b").reached()
      let ordinals = Dictionary(server.requests.map { ($0.path, $0.connection.ordinal) }, uniquingKeysWith: { first, _ in first })
      #expect(ordinals["/a"] != ordinals["/b"])
      server.gate("b").open()
      #expect(try await b.value == "b")
      server.gate("a").open()
      #expect(try await a.value == "a")
      for _ in 0..<3 { _ = try await session.data(from: server.url("/c")) }
      #expect(server.requests.suffix(3).map(\.connection.ordinal) == Array(repeating: ordinals["/a"], count: 3))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func idleConnectionIsClosedAfterAMinute(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let clock = ManualClock()
      configuration.use(clock)
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      // Tells a connection that no request used from one that took another's place.
      var used: Comment { "the requests came on \(server.requests.map(\.connection.ordinal))" }
      _ = try await session.data(from: server.url())
      clock.advance(by: 59)
      _ = try await session.data(from: server.url())
      #expect(server.acceptedConnections == 1, used)
      clock.advance(by: 59)
      _ = try await session.data(from: server.url())
      #expect(server.acceptedConnections == 1, used)
      clock.advance(by: 60)
      try await server.waitForConnections(open: 0)
      _ = try await session.data(from: server.url())
      #expect(server.acceptedConnections == 2, used)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [true, false], Wire.allCases) func invalidSessionClosesItsConnections(cancelling: Bool, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      let gate = Gate()
      server.route("/held", reply: .text("held").with(.delayBeforeHeaders(gate)))
      let first = Task { try await session.text(from: server.url("/held")).0 }
      try await gate.reached()
      _ = try await session.data(from: server.url())
      #expect(server.openConnections == (wire.isMultiplexed ? 1 : 2))
      if cancelling {
        session.invalidateAndCancel()
        await #expect(throws: URLError.self) { try await first.value }
      } else {
        session.finishTasksAndInvalidate()
        gate.open()
        #expect(try await first.value == "held")
      }
      try await server.waitForConnections(open: 0)
    }
  }

  @Test(arguments: Wire.allCases) func forgottenSessionClosesItsConnections(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      _ = try await URLSession(configuration: configuration).data(from: server.url())
      try await server.waitForConnections(open: 0)
    }
  }

  @Test(arguments: Wire.allCases) func sessionsDoNotShareConnections(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      let sessions = (0..<3).map { _ in URLSession(configuration: configuration) }
      for session in sessions + sessions { _ = try await session.data(from: server.url()) }
      #expect(server.requests.map(\.connection.ordinal) == [1, 2, 3, 1, 2, 3])
      for session in sessions { session.invalidateAndCancel() }
    }
  }

  @Test(arguments: Wire.allCases) func flushClosesIdleConnections(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      _ = try await session.data(from: server.url())
      await session.flush()
      try await server.waitForConnections(open: 0)
      _ = try await session.data(from: server.url())
      #expect(server.requests.map(\.connection.ordinal) == [1, 2])
      session.invalidateAndCancel()
    }
  }

  /// They serve their loads, and none that begins later.
  @Test(arguments: Wire.allCases) func flushClosesConnectionsInUseWhenTheyAreFree(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.route("/", reply: .text("ok"))
      server.route("/held", reply: .text("held").with(.delayBeforeHeaders(gate)))
      let held = Task { try await session.text(from: server.url("/held")).0 }
      try await gate.reached()
      await session.flush()
      gate.open()
      #expect(try await held.value == "held")
      _ = try await session.data(from: server.url())
      #expect(server.requests.map(\.connection.ordinal) == [1, 2])
      session.invalidateAndCancel()
    }
  }

  /// Runs `body` with a session whose only connection is busy until the gate is opened, and whose paths are all served otherwise.
  private func serveBusy(
    _ wire: Wire, _ body: (TestServer, URLSession, DelegateRecorder, Gate) async throws -> Void
  ) async throws {
    try await wire.serve({ $0.maximumConcurrentStreams = 1 }) { server, configuration async throws in
      configuration.httpMaximumConnectionsPerHost = 1
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let gate = Gate()
      server.route("/{name}", reply: .text("ok"))
      server.route("/held", reply: .text("held").with(.delayBeforeHeaders(gate)))
      // HTTP/2's limit is known after the first answer.
      _ = try await session.data(from: server.url("/first"))
      session.dataTask(with: server.url("/held")).resume()
      try await gate.reached()
      try await body(server, session, recorder, gate)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func taskOfHigherPriorityIsServedFirst(_ wire: Wire) async throws {
    try await serveBusy(wire) { server, session, recorder, gate async throws in
      let priorities: [(String, Float)] = [
        ("low", URLSessionTask.lowPriority), ("default", URLSessionTask.defaultPriority), ("second", URLSessionTask.defaultPriority),
        ("high", URLSessionTask.highPriority),
      ]
      var tasks: [URLSessionDataTask] = []
      for (name, priority) in priorities {
        let task = session.dataTask(with: server.url("/" + name))
        task.priority = priority
        task.resume()
        try await session.keepTurn()
        tasks.append(task)
      }
      try await session.lineUp()
      gate.open()
      for task in tasks { #expect(await recorder.completion(of: task) == nil) }
      #expect(server.requests.map(\.path) == ["/first", "/held", "/high", "/default", "/second", "/low"])
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test(arguments: Wire.allCases) func cancelledWaiterLeavesTheQueue(_ wire: Wire) async throws {
    try await serveBusy(wire) { server, session, recorder, gate async throws in
      let (cancelled, served) = (session.dataTask(with: server.url("/cancelled")), session.dataTask(with: server.url("/served")))
      cancelled.resume()
      served.resume()
      try await session.lineUp()
      cancelled.cancel()
      #expect((await recorder.completion(of: cancelled) as? URLError)?.code == .cancelled)
      gate.open()
      #expect(await recorder.completion(of: served) == nil)
      #expect(server.requests.map(\.path) == ["/first", "/held", "/served"])
      #expect(server.acceptedConnections == 1)
    }
  }
}
