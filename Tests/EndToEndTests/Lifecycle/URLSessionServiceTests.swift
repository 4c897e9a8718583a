#if ServiceLifecycle
  import Foundation
  import ServiceLifecycle
  import ServiceLifecycleTestKit
  import Testing
  import URLLoadingSystem
  import URLLoadingTestKit

  @Suite(.timeLimit(.minutes(10))) struct URLSessionServiceTests {
    /// Runs `body` with a session that has a load under way, which the gate holds up.
    private func serve(_ body: (TestServer, URLSession, ManualClock, Gate) async throws -> Void) async throws {
      try await Wire.plain.serve { server, configuration async throws in
        let (clock, gate) = (ManualClock(), Gate())
        configuration.use(clock)
        configuration.timeoutIntervalForRequest = 86_400
        server.route("/held", reply: .text("ok").with(.delayBeforeBody(gate)))
        server.route("/", reply: .text("ok"))
        let session = URLSession(configuration: configuration)
        try await body(server, session, clock, gate)
        session.invalidateAndCancel()
      }
    }

    @Test func gracefulShutdownFinishesTasks() async throws {
      try await serve { server, session, _, gate async throws in
        let loaded = Task { try await session.text(from: server.url("/held")).0 }
        _ = try await server.waitForRequest()
        try await testGracefulShutdown { trigger in
          let service = Task { try await URLSessionService(session).run() }
          trigger.triggerGracefulShutdown()
          // The session refuses tasks once the service has begun to shut down.
          while await session.accepts(server.url()) { await Task.yield() }
          gate.open()
          #expect(try await loaded.value == "ok")
          try await service.value
        }
      }
    }

    @Test func tasksThatTakeTooLongAreCancelled() async throws {
      try await serve { server, session, clock, gate async throws in
        let loaded = Task { await session.failure(of: server.url("/held")) }
        _ = try await server.waitForRequest()
        try await testGracefulShutdown { trigger in
          let service = Task { try await URLSessionService(session, timeLimit: .seconds(5)).run() }
          trigger.triggerGracefulShutdown()
          try await clock.waitForWake(within: 5)
          clock.advance(by: 5)
          #expect(await loaded.value?.code == .cancelled)
          try await service.value
        }
        gate.open()
      }
    }

    @Test func cancellationCancelsTasks() async throws {
      try await serve { server, session, _, gate async throws in
        let loaded = Task { await session.failure(of: server.url("/held")) }
        _ = try await server.waitForRequest()
        let service = Task { try await URLSessionService(session).run() }
        service.cancel()
        #expect(await loaded.value?.code == .cancelled)
        try await service.value
        gate.open()
      }
    }

    @Test func sessionThatIsInvalidAlreadyEndsTheService() async throws {
      let session = URLSession(configuration: .testing())
      session.invalidateAndCancel()
      try await URLSessionService(session).run()
      try await URLSessionService(session).run()
    }

    @Test func sharedSessionIsRefused() async {
      await #expect(throws: URLSessionServiceError.sharedSession) { try await URLSessionService(.shared).run() }
    }
  }

  extension URLSession {
    /// Whether a task that is made now is loaded.
    fileprivate func accepts(_ url: URL) async -> Bool {
      do {
        _ = try await data(from: url)
        return true
      } catch {
        return false
      }
    }
  }
#endif
