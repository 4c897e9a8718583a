import ChildProcesses
import Foundation
import LoadingModel
import SeededNumbers
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A file that is moved by one process after the other: connections break, processes are killed. `scripts/tests/soak-transfers` moves a larger
/// one.
@Suite(.serialized) struct TransferCutTests {
  private static let size = ProcessInfo.processInfo.environment["TRANSFER_SOAK_BYTES"].flatMap { Int($0) } ?? 20 << 20
  private static let cuts = 20
  /// Every so many cuts, the process is killed: in a soak more often.
  private static let killInterval = size > 20 << 20 ? 2 : 5
  /// Bytes that a killed process may have had on their way to the disk: the window, and one piece more.
  private static let unflushed = (1 << 20) + (256 << 10)

  @Test(.enabled(if: TransferChild.here != nil, "only in a child process"))
  func childMovesAFile() async throws {
    try await #require(TransferChild.here).run()
  }

  // MARK: downloads

  /// What the server did, connection by connection.
  private struct Serving {
    var numbers: SeededNumbers
    /// Where each answer began and was cut.
    var answers: [(offset: Int, end: Int)] = []
    /// How far the process that is to be killed must have come.
    var killAt: Int?

    mutating func next(_ offset: Int) -> Reply {
      let rest = TransferCutTests.size - offset
      let isLast = answers.count >= TransferCutTests.cuts
      let share = rest / (TransferCutTests.cuts + 1 - answers.count)
      let count = isLast ? rest : Int.random(in: share / 2...share, using: &numbers)
      answers.append((offset, offset + count))
      var reply = Reply(
        offset > 0 ? 206 : 200, headers: ["ETag": "\"one\""], body: .pattern(from: offset, count: rest))
      if offset > 0 { reply.headers["Content-Range"] = "bytes \(offset)-\(TransferCutTests.size - 1)/\(TransferCutTests.size)" }
      guard !isLast else { return reply }
      guard answers.count.isMultiple(of: TransferCutTests.killInterval) else { return reply.with(.disconnectAfterBodyBytes(count)) }
      killAt = offset + count
      return reply.with(.stallAfter(bodyBytes: count))
    }
  }

  @Test(.timeLimit(.minutes(30)), .enabled(if: TransferChild.here == nil))
  func downloadCutTwentyTimesByServerAndKillsEndsWhole() async throws {
    let ground = try TransferGround.make()
    defer { ground.remove() }
    let seed = UInt64.random(in: 0 ... .max)
    let serving = Mutex(Serving(numbers: SeededNumbers(seed: seed)))
    let start = ProcessFigures()
    try await TestServer.with { server async throws in
      server.route("/f") { request in serving.withLock { $0.next(Resource.offset(request) ?? 0) } }
      // Resume data comes from a break, or from the app's asking: the first cut.
      let session = URLSession(configuration: ground.configuration)
      let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/f")) }
      try #require(error?.downloadTaskResumeData).write(to: ground.resumeData)
      session.invalidateAndCancel()
      try await runDownloads(ground, server.url("/f"), serving)
      #expect(try AlphabetPattern.fill(ground.result, count: Self.size), "seed \(seed)")
      #expect(ground.unfinished.isEmpty)
      let answers = serving.withLock { $0.answers }
      #expect(answers.count == Self.cuts + 1)
      for (index, (before, after)) in zip(answers, answers.dropFirst()).enumerated() {
        let isKill = (index + 1).isMultiple(of: Self.killInterval)
        #expect(before.end - after.offset <= (isKill ? Self.unflushed : 0), "cut \(index + 1), seed \(seed)")
        #expect(after.offset <= before.end)
      }
      let again = zip(answers, answers.dropFirst()).reduce(0) { $0 + $1.0.end - $1.1.offset }
      Self.tell("download: \(Self.cuts) cuts, \(again) of \(Self.size) bytes sent again", from: start)
    }
  }

  private func runDownloads(_ ground: TransferGround, _ url: URL, _ serving: borrowing Mutex<Serving>) async throws {
    let reports = try ReportPipe(ground.folder)
    for _ in 0...Self.cuts {
      let child = try TransferChild(work: .download, ground: ground, server: url).start()
      var isDone = false
      var isKilled = false
      while !isDone, !isKilled {
        let lines = await reports.next(1)
        try #require(!lines.isEmpty, "the child said nothing for too long")
        isDone = lines.contains("done")
        let reached = lines.compactMap { $0.hasPrefix("at ") ? Int($0.dropFirst(3)) : nil }.max() ?? 0
        isKilled = serving.withLock { serving in
          guard let place = serving.killAt, reached >= place else { return false }
          serving.killAt = nil
          return true
        }
      }
      if isKilled { child.kill() }
      #expect(await child.end() == (isKilled ? .signal(SIGKILL) : .exit(0)))
      if isDone { return }
    }
  }

  // MARK: uploads

  @Test(.timeLimit(.minutes(30)), .enabled(if: TransferChild.here == nil))
  func uploadCutTwentyTimesByServerAndKillsArrivesWhole() async throws {
    let ground = try TransferGround.make()
    defer { ground.remove() }
    let start = ProcessFigures()
    try AlphabetPattern.write(Self.size, to: ground.source)
    let seed = UInt64.random(in: 0 ... .max)
    var numbers = SeededNumbers(seed: seed)
    let cuts = (1...Self.cuts).map { cut -> UploadServer.Fault in
      let count = Int.random(in: 1_000..<Self.size / Self.cuts, using: &numbers)
      return cut == 1 || cut.isMultiple(of: Self.killInterval) ? .stall(after: count) : .close(after: count)
    }
    try await UploadServer.with(cuts, keepsContent: false) { server, url async throws in
      let located = Located()
      let session = URLSession(configuration: ground.configuration, delegate: located, delegateQueue: nil)
      let task = session.uploadTask(with: URLRequest("PUT", url), fromFile: ground.source)
      task.resume()
      try await server.stalled.reached()
      await located.first()
      try #require(await task.cancelByProducingResumeData()).write(to: ground.resumeData)
      session.invalidateAndCancel()
      let reports = try ReportPipe(ground.folder)
      for kill in 1...Self.cuts / Self.killInterval {
        let child = try TransferChild(work: .upload, ground: ground, server: url).start()
        try await server.stalled.reached(1 + kill)
        child.kill()
        #expect(await child.end() == .signal(SIGKILL))
      }
      let last = try TransferChild(work: .upload, ground: ground, server: url).start()
      #expect(await last.end() == .exit(0))
      #expect(reports.rest() == ["done"])
      #expect(server.state.withLock { $0.count == Self.size && $0.areLetters && $0.isComplete && $0.faults.isEmpty }, "seed \(seed)")
      Self.tell("upload: \(Self.cuts) cuts, \(Self.size) bytes", from: start)
    }
  }

  /// Prints what a soak has come to.
  private static func tell(_ text: String, from start: ProcessFigures) {
    guard size > 20 << 20 else { return }
    print("\(text)\n  start  \(start)\n  end    \(ProcessFigures())")
  }

  // MARK: disks

  @Test(.timeLimit(.minutes(30)), .enabled(if: TransferChild.here == nil && SmallDisk.isPermitted, "needs the right to mount"))
  func fullDiskIsItsOwnErrorAndLosesNothing() async throws {
    let ground = try TransferGround.make()
    defer { ground.remove() }
    try await TestServer.with { server async throws in
      let size = 20 << 20
      server.route("/big", reply: Reply(headers: ["ETag": "\"one\""], body: .pattern(count: size)))
      server.route("/cut") { request in
        guard let offset = Resource.offset(request) else {
          return Reply(headers: ["ETag": "\"one\""], body: .pattern(count: size), faults: [.disconnectAfterBodyBytes(4 << 20)])
        }
        return Reply(
          206, headers: ["ETag": "\"one\"", "Content-Range": "bytes \(offset)-\(size - 1)/\(size)"],
          body: .pattern(from: offset, count: size - offset))
      }
      try await run(TransferChild(work: .fullDisk, ground: ground, server: server.url("/big"))) { try $0.start(withDiskOf: 8 << 20) }
    }
  }

  @Test(.timeLimit(.minutes(30)), .enabled(if: TransferChild.here == nil))
  func diskThatHangsKeepsNoDownloadFromEnding() async throws {
    let ground = try TransferGround.make()
    defer { ground.remove() }
    try await TestServer.with { server async throws in
      server.route("/f", reply: Reply(headers: ["ETag": "\"one\""], body: .pattern(count: 5000), faults: [.stallAfter(bodyBytes: 2500)]))
      try await run(TransferChild(work: .hangingDisk, ground: ground, server: server.url("/f"))) { try $0.start() }
    }
  }

  private func run(_ child: TransferChild, _ start: (TransferChild) throws -> ChildProcess) async throws {
    let reports = try ReportPipe(child.ground.folder)
    let process = try start(child)
    #expect(await process.end() == .exit(0))
    #expect(reports.rest() == ["done"])
  }
}

/// Is told where an upload can be resumed: before that there is no resume data.
private final class Located: NSObject, URLSessionTaskDelegate {
  private let told = AsyncStream.makeStream(of: Int.self)
  func urlSession(_ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) {
    told.continuation.yield(response.statusCode)
  }
  func first() async { for await _ in told.stream { return } }
}
