import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// The folder of a test that kills apps and daemons: jobs, sources, results, and the daemon's own data.
struct KillGround {
  struct Job {
    let name: String
    let isUpload: Bool
    let size: Int
  }

  let folder: URL
  let jobs: [Job]

  init(jobs: [Job]) throws {
    self.jobs = jobs
    folder = FileManager.default.temporaryDirectory.appending(path: "kills-\(UUID().uuidString)", directoryHint: .isDirectory)
    for name in ["done", "sources", "home"] {
      try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    for job in jobs where job.isUpload { try AlphabetPattern.write(job.size, to: folder.appending(path: "sources/\(job.name)")) }
    let list = jobs.map { "\($0.isUpload ? "up" : "down") \($0.name)\n" }.joined()
    try Data(list.utf8).write(to: folder.appending(path: "jobs"))
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Runs the app to its end, which must be a good one; what it printed.
  func runApp(_ words: String...) async throws -> String {
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    try Data().write(to: output)
    let app = try ChildProcess(TestProgram.product("BackgroundApp"), words, in: folder, environment: environment, output: .file(output))
    #expect(await app.end() == .exit(0))
    return try String(contentsOf: output, encoding: .utf8)
  }

  var environment: [String: String] {
    [
      "URL_LOADING_SYSTEM_HOME": folder.appending(path: "home").path(percentEncoded: false), "URLSESSIOND_RETRY_SCALE": "0.02",
      "URLSESSIOND_PATH": TestProgram.product("urlsessiond"),
      // An app's record of itself on standard error is of no use here.
      "SWIFT_BACKTRACE": "enable=no",
    ]
  }

  func startApp(_ server: URL) throws -> ChildProcess {
    try ChildProcess(
      TestProgram.product("BackgroundApp"), [folder.path(percentEncoded: false), server.absoluteString], in: folder,
      environment: environment)
  }

  /// Kills the app, but not between the line that a call writes and the library's note that the call has returned.
  func kill(_ app: ChildProcess) async {
    let path = folder.appending(path: "calls").path(percentEncoded: false)
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let calls = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        flock(calls, LOCK_EX)
        app.kill()
        close(calls)
        continuation.resume()
      }
    }
    _ = await app.end()
  }

  /// The daemon's process; nil if none runs.
  var daemon: pid_t? {
    guard let places = try? BackgroundPlaces(environment: environment, home: folder) else { return nil }
    guard let link = try? DaemonStarter(places: places, environment: environment).connectNow() else { return nil }
    defer { link.close() }
    return link.peer.process
  }

  /// Lines of the app's completions.
  var completions: [String] {
    let text = (try? String(contentsOf: folder.appending(path: "completions"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }
}
