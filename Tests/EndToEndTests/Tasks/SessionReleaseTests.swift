import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What keeps a session, and what goes with it.
@Suite(.timeLimit(.minutes(10))) struct SessionReleaseTests {
  @Test(arguments: Wire.allCases) func sessionThatNobodyHoldsGoesWithItsDelegateAndConnections(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let leaks = LeakCheck()
      try await SessionReleaseTests.load(server, configuration, leaks)
      try await leaks.verify()
      try await server.waitForConnections(open: 0)
    }
  }

  private static func load(_ server: TestServer, _ configuration: URLSessionConfiguration, _ leaks: LeakCheck) async throws {
    let recorder = DelegateRecorder()
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    leaks.track(session, "session")
    leaks.track(recorder, "delegate")
    let task = session.dataTask(with: server.url("/bytes/1000"))
    leaks.track(task, "task")
    task.resume()
    #expect(await recorder.completion(of: task) == nil)
    _ = try await session.data(from: server.url("/bytes/1000"))
    let (bytes, _) = try await session.bytes(from: server.url("/bytes/1000"))
    leaks.track(bytes.task, "task of bytes")
    for try await _ in bytes {}
    let log = CompletionLog()
    let completing = session.dataTask(with: server.url("/bytes/1000"), completionHandler: log.handler)
    leaks.track(completing, "task with a handler")
    leaks.track(log, "handler")
    completing.resume()
    _ = await log.call()
  }

  @Test(arguments: Wire.allCases) func runningTaskKeepsItsSession(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(Reply.text("x").with(.delayBeforeHeaders(gate)))
      let leaks = LeakCheck()
      let log = CompletionLog()
      SessionReleaseTests.start(server.url(), configuration, log, leaks)
      try await gate.reached()
      #expect(leaks.alive == ["session"])
      gate.open()
      #expect(await log.call().data == Data("x".utf8))
      try await leaks.verify()
      try await server.waitForConnections(open: 0)
    }
  }

  private static func start(_ url: URL, _ configuration: URLSessionConfiguration, _ log: CompletionLog, _ leaks: LeakCheck) {
    let session = URLSession(configuration: configuration)
    leaks.track(session, "session")
    session.dataTask(with: url, completionHandler: log.handler).resume()
  }
}
