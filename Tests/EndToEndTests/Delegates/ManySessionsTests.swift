import ChildProcesses
import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The most threads that this process has had.
private final class ThreadCount: Sendable {
  private let most = Mutex(0)

  var maximum: Int { most.withLock { $0 } }

  func look() {
    let count = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    most.withLock { $0 = max($0, count) }
  }
}

/// Hundreds of sessions, each with a delegate queue of its own, whose loads end together.
@Suite(.timeLimit(.minutes(10))) struct ManySessionsTests {
  private static let variable = "URL_LOADING_MANY_SESSIONS"
  private static let isChild = ProcessInfo.processInfo.environment[variable] != nil
  /// As many as the system's usual limit of open files allows.
  private static let sessions = 400
  /// Where each queue gets a thread as it asks, there are nearly as many as sessions; on a machine that is busy, some more than the 32 turns and
  /// what else there is.
  private static let threadLimit = 150

  /// A process of its own: other tests have threads, too.
  @Test(.enabled(if: !isChild)) func sessionsWithQueuesOfTheirOwnShareFewThreads() async throws {
    let child = try ChildProcess(
      ofThisProgram: "childHasHundredsOfSessions", in: FileManager.default.temporaryDirectory, environment: [Self.variable: "1"])
    #expect(await child.end() == .exit(0))
  }

  @Test(.enabled(if: isChild, "only in a child process")) func childHasHundredsOfSessions() async throws {
    let threads = ThreadCount()
    try await Wire.plain.serve { server, configuration async throws in
      let gate = Gate()
      server.route("/", reply: Reply(body: .text("done"), faults: [.delayBeforeHeaders(gate)]))
      let sessions = (0..<Self.sessions).map { _ in URLSession(configuration: configuration) }
      await withTaskGroup { group in
        for session in sessions {
          group.addTask {
            await withCheckedContinuation { continuation in
              session.dataTask(with: server.url()) { _, _, _ in
                threads.look()
                continuation.resume()
              }.resume()
            }
          }
        }
        gate.open()
      }
      for session in sessions { session.invalidateAndCancel() }
    }
    #expect(threads.maximum < Self.threadLimit, "\(threads.maximum) threads")
  }
}
