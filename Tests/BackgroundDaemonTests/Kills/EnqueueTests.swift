import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// An app that resumes many tasks and ends at once, with the daemon's executable.
@Suite(.timeLimit(.minutes(10))) struct EnqueueTests {
  private func end(_ ground: KillGround) {
    if let daemon = ground.daemon { kill(daemon, SIGTERM) }
    ground.remove()
  }

  @Test(arguments: [100, 10_000]) func whatWasResumedIsThereThoughTheAppEnded(_ count: Int) async throws {
    let ground = try KillGround(jobs: [])
    defer { end(ground) }
    let url = "http://127.0.0.1:9/"
    #expect(try await ground.runApp("--enqueue", url, "\(count)") == "")
    #expect(try await ground.runApp("--tasks", url) == "\(count) tasks, \(count) running\n")
  }

  @Test func whatWasResumedIsLoadedThoughTheAppEnded() async throws {
    let ground = try KillGround(jobs: [])
    defer { end(ground) }
    try await TestServer.with { server async throws in
      let (names, arriving) = AsyncStream.makeStream(of: String.self)
      server.route("/{name}") { request in
        arriving.yield(request.parameters["name"] ?? "")
        return .text("here")
      }
      #expect(try await ground.runApp("--begin", server.url("/").absoluteString, "100") == "")
      var missing = Set((0..<100).map { "\($0)" })
      for await name in names {
        missing.remove(name)
        if missing.isEmpty { break }
      }
    }
  }

  /// The app isn't held up for long, and is told: a transfer that the daemon hasn't got would be gone with the app.
  @Test(arguments: ["before", "after"]) func aDaemonThatHangsEndsTasksWithAnError(_ moment: String) async throws {
    let ground = try KillGround(jobs: [])
    defer { end(ground) }
    // NSURLErrorBackgroundSessionWasDisconnected
    #expect(try await ground.runApp("--stop", "http://127.0.0.1:9/", moment) == "-997\n")
  }
}
