import ChildProcesses
import Foundation
import ProtocolRules
import Stores
import Testing

/// Processes that write one cookie store at once. Here and not beside the store's other tests because it starts processes.
@Suite(.timeLimit(.minutes(10))) struct CookieSharingTests {
  private struct Writer {
    let process: ChildProcess
    let output: URL

    /// The names it has acknowledged; a last line that the kill cut short isn't one.
    var acknowledged: [Substring] {
      get throws {
        let text = try String(contentsOf: output, encoding: .utf8)
        return text[...(text.lastIndex(of: "\n") ?? text.startIndex)].split(separator: "\n")
      }
    }
  }

  private func start(_ folder: URL, _ name: String, count: Int, killAfter: Int? = nil) throws -> Writer {
    let output = folder.appending(path: name)
    try Data().write(to: output)
    let arguments = [folder.appending(path: "cookies.sqlite").path(), name, "\(count)"] + (killAfter.map { ["\($0)"] } ?? [])
    let writer = TestProgram.product("StoreWriter")
    return Writer(process: try ChildProcess(writer, arguments, in: folder, output: .file(output)), output: output)
  }

  @Test func nothingAcknowledgedIsLostWhenProcessesWriteAtOnceAndSomeAreKilled() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cookie-sharing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var acknowledged: Set<String> = []
    for round in 0..<3 {
      let running = [
        try start(folder, "steady\(round)", count: 100), try start(folder, "other\(round)", count: 100),
        try start(folder, "killed\(round)", count: 2000, killAfter: 30 + round * 17),
      ]
      #expect(await running[0].process.end() == .exit(0))
      #expect(await running[1].process.end() == .exit(0))
      #expect(await running[2].process.end() == .signal(SIGKILL))
      for writer in running { acknowledged.formUnion(try writer.acknowledged.map { String($0) }) }
    }
    #expect(acknowledged.count >= 600 + 3 * 30)
    let store = CookieStore(file: folder.appending(path: "cookies.sqlite"))
    let kept = Set(store.read { jar, now in jar.all(now: now).map(\.cookie.name) })
    #expect(acknowledged.subtracting(kept).isEmpty)
    #expect(store.failure == nil)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    #expect(!names.contains { $0.contains("corrupt") })
  }
}
