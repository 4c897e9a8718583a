import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Several sessions of several processes use one cache and one cookie store at once; now and then one of the processes is killed and
/// another takes its place. For a moment in the suite, as long as one likes with `scripts/tests/soak-stores`.
@Suite(.serialized) struct StoreSoakTests {
  private static let seconds = ProcessInfo.processInfo.environment["STORES_SOAK_SECONDS"].flatMap { Int($0) }
  private static let processes = seconds == nil ? 2 : 3
  private static let killsAtLeast = 2

  @Test(.timeLimit(.minutes(20 + (seconds ?? 0) / 30)), .enabled(if: SoakChild.here == nil))
  func nothingAcknowledgedIsLostAndNothingIsCorrupt() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var options = TestServer.Options.http
    options.recordedRequestLimit = 0
    try await TestServer.with(options) { server async throws in
      SoakGround.serve(server)
      let ground = SoakGround(folder: folder, server: server.url())
      var verdict = SoakVerdict()
      let start = ProcessFigures()
      let kills = try await Self.soak(ground, &verdict)
      try await verdict.conclude(ground)
      #expect(verdict.pages.count > 0 && verdict.cookieCount > 0)
      #expect(verdict.lost.isEmpty)
      #expect(verdict.corrupt.isEmpty)
      if let seconds = Self.seconds { Self.print(seconds, kills, verdict, from: start) }
    }
  }

  @Test(.enabled(if: SoakChild.here != nil, "only in a child process"))
  func childSessionsLoadUntilTheyAreKilled() async throws {
    try await #require(SoakChild.here).run()
  }

  /// Returns how many processes were killed.
  private static func soak(_ ground: SoakGround, _ verdict: inout SoakVerdict) async throws -> Int {
    let reports = try ReportPipe(ground.folder)
    let configuration = URLSessionConfiguration.ephemeral
    // Open all the time: it sees what the dead have left.
    configuration.urlCache = ground.openCache()
    let witness = URLSession(configuration: configuration)
    defer { witness.invalidateAndCancel() }
    var children = try (0..<processes).map { try SoakChild(ground: ground, slot: $0, first: 1).start() }
    defer { for child in children { child.kill() } }
    let end = ContinuousClock.now + .seconds(seconds ?? 0)
    var kills = 0
    while kills < killsAtLeast || ContinuousClock.now < end {
      let wanted = Int.random(in: 10...(seconds == nil ? 60 : 1000))
      let news = await reports.next(wanted)
      try #require(news.count >= wanted, "the children said nothing for too long")
      verdict.take(news)
      let slot = Int.random(in: 0..<processes)
      children[slot].kill()
      #expect(await children[slot].end() == .signal(SIGKILL))
      kills += 1
      verdict.take(reports.rest())
      children[slot] = try SoakChild(ground: ground, slot: slot, first: kills * 1_000_000).start()
      await verdict.check(Array(verdict.pages.shuffled().prefix(10)), ground, witness)
    }
    for child in children {
      child.kill()
      _ = await child.end()
    }
    kills += children.count
    children = []
    verdict.take(reports.rest())
    return kills
  }

  /// - Parameter start: What the process held that reads along.
  private static func print(_ seconds: Int, _ kills: Int, _ verdict: SoakVerdict, from start: ProcessFigures) {
    let lines = """
      soak: \(seconds) s, \(processes) processes at once, \(SoakGround.sessionsPerProcess) sessions each
        kills         \(kills)
        acknowledged  \(verdict.pages.count) responses, \(verdict.cookieCount) cookies
        lost          \(verdict.lost.count)
        corrupt       \(verdict.corrupt.count)
        stored        \(verdict.stored) responses, each read to its end
        start         \(start)
        end           \(ProcessFigures())

      """
    FileHandle.standardOutput.write(Data(lines.utf8))
  }
}
