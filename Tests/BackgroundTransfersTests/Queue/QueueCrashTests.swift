import ChildProcesses
import Foundation
import Testing

@testable import BackgroundTransfers

/// A process that uses a queue is killed at arbitrary points; what it said was done must be there, and nothing twice.
///
/// The child is this test program again, told by a variable of the environment to run `childQueuesUntilItIsKilled` alone.
@Suite(.serialized, .timeLimit(.minutes(10))) struct QueueCrashTests {
  private static let folderVariable = "BACKGROUND_TESTS_QUEUE_FOLDER"

  private static var childFolder: URL? {
    ProcessInfo.processInfo.environment[folderVariable].map { URL(filePath: $0, directoryHint: .isDirectory) }
  }

  @Test(.enabled(if: childFolder == nil)) func whatWasAcknowledgedSurvivesKills() async throws {
    let folder = QueueFolder()
    let reports = try ReportPipe(folder.url)
    var said: Set<String> = []
    for round in 1...4 {
      let child = try ChildProcess(
        ofThisProgram: "childQueuesUntilItIsKilled", in: folder.url,
        environment: [Self.folderVariable: folder.url.path(percentEncoded: false)])
      let lines = await reports.next(round * 7)
      #expect(lines.count >= round * 7, "the child said nothing for too long")
      child.kill()
      #expect(await child.end() == .signal(SIGKILL))
      said.formUnion(lines + reports.rest())
    }
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let waiting = Set(try queue.transfers(of: session).map(\.order.task))
    let events = try queue.events(of: session)
    #expect(Set(events.map(\.task)).count == events.count && waiting.isDisjoint(with: events.map(\.task)))
    for line in said {
      let words = line.split(separator: " ")
      let task = try #require(words.last.flatMap { Int($0) })
      switch words.first {
      case "added": #expect(waiting.contains(task) || events.contains { $0.task == task }, "\(line)")
      case "ended": #expect(events.contains { $0.task == task && $0.outcome.file == "/\(task)" }, "\(line)")
      default: Issue.record("\(line)")
      }
    }
  }

  @Test(.enabled(if: childFolder != nil, "only in a child process")) func childQueuesUntilItIsKilled() throws {
    let folder = try #require(Self.childFolder)
    let reports = try ReportPipe.handle(in: folder)
    let queue = try TransferQueue(samplesIn: folder)
    let session = try queue.sessions.open(.sample())
    // More than the parent waits for, few enough for it to look at them all.
    for task in session.nextTask..<(session.nextTask + 1000) {
      let transfer = try queue.add(.sample(task), to: session.identifier, now: .noon)
      try reports.write(contentsOf: Data("added \(task)\n".utf8))
      try queue.keepResumeData(Data(repeating: 1, count: 2000), transfer.identifier)
      guard task.isMultiple(of: 2) else { continue }
      _ = try queue.finish(transfer.identifier, .success(file: "/\(task)"), now: .noon)
      try reports.write(contentsOf: Data("ended \(task)\n".utf8))
    }
    ReportPipe.waitForKill(reports)
  }
}
