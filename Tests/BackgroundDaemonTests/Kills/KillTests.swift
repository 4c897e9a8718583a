import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// Files that are moved through a faulty server while app and daemon are killed. `scripts/tests/soak-background` moves more of them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct KillTests {
  private static let variables = ProcessInfo.processInfo.environment
  private static let files = variables["BACKGROUND_SOAK_FILES"].flatMap { Int($0) } ?? 40
  private static let kills = variables["BACKGROUND_SOAK_KILLS"].flatMap { Int($0) } ?? 12

  private static func jobs(_ numbers: inout some RandomNumberGenerator) -> [KillGround.Job] {
    (0..<files).map { index in
      // From nothing to some megabytes; small ones are the most.
      let size =
        index.isMultiple(of: 10) ? Int.random(in: 1 << 20...6 << 20, using: &numbers) : Int.random(in: 0...300_000, using: &numbers)
      return KillGround.Job(name: "file-\(index)", isUpload: index.isMultiple(of: 3), size: size)
    }
  }

  @Test func everyFileArrivesAndEachCompletionIsToldOnceThoughAppAndDaemonAreKilled() async throws {
    var numbers = SystemRandomNumberGenerator()
    let ground = try KillGround(jobs: KillTests.jobs(&numbers))
    defer { ground.remove() }
    let serving = FaultyServing(ground.jobs)
    var options = TestServer.Options()
    options.recordedBodyLimit = 8 << 20
    try await TestServer.with(options) { server async throws in
      serving.route(server)
      let server = server.url("/")
      let app = try await KillTests.killing(ground, serving, server)
      #expect(await app.end() == .exit(0))
    }
    if let daemon = ground.daemon {
      print("the last daemon: \(ProcessFigures(of: daemon))")
      kill(daemon, SIGTERM)
    }
    try verify(ground, serving)
  }

  /// - Returns: The app that is to end by itself.
  private static func killing(_ ground: KillGround, _ serving: FaultyServing, _ server: URL) async throws -> ChildProcess {
    let finished = try FileArrival("finished", in: ground.folder)
    // No more requests come then.
    let watching = Task {
      _ = await finished.wait()
      serving.end()
    }
    defer { watching.cancel() }
    let start = ProcessFigures()
    var app = try ground.startApp(server)
    var killed = (apps: 0, daemons: 0)
    // What is done by then is done: fewer kills happen where all files have arrived.
    for _ in 0..<kills where ground.completions.count < ground.jobs.count {
      let step = max(1, ground.jobs.count / kills)
      await serving.wait(for: Int.random(in: 1...step))
      let choice = Int.random(in: 0..<3)
      if choice != 0, let daemon = ground.daemon {
        kill(daemon, SIGKILL)
        killed.daemons += 1
      }
      if choice != 1 {
        await ground.kill(app)
        killed.apps += 1
        app = try ground.startApp(server)
      }
    }
    print("killed \(killed.apps) apps and \(killed.daemons) daemons in \(serving.requests) requests, \(ground.jobs.count) files")
    print("the server's process: \(start) at the start, \(ProcessFigures()) after the kills")
    return app
  }

  private func verify(_ ground: KillGround, _ serving: FaultyServing) throws {
    let completions = ground.completions
    #expect(completions.sorted() == ground.jobs.map { "\($0.name) ok" }.sorted())
    #expect(serving.wrong.isEmpty)
    for job in ground.jobs {
      if job.isUpload {
        #expect(serving.uploads(of: job.name) >= 1, "\(job.name) was said to have arrived")
      } else {
        #expect(try AlphabetPattern.fill(ground.folder.appending(path: "done/\(job.name)"), count: job.size), "\(job.name)")
      }
    }
  }
}
