import BackgroundTransfers
import ChildProcesses
import Foundation

/// A process that runs a batch, with a home and a daemon of its own.
struct BatchChild {
  private let folder: URL

  init() throws {
    // A short name: paths of sockets are bounded.
    folder = FileManager.default.temporaryDirectory.appending(
      path: "c-\(String(UInt32.random(in: .min ... .max), radix: 36))", directoryHint: .isDirectory)
    for name in ["home", "run"] {
      try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
    }
  }

  private var report: URL { folder.appending(path: "report") }

  private var environment: [String: String] {
    [
      "URL_LOADING_SYSTEM_HOME": folder.appending(path: "home").path(percentEncoded: false),
      "XDG_RUNTIME_DIR": folder.appending(path: "run").path(percentEncoded: false),
      "URLSESSIOND_PATH": TestProgram.product("urlsessiond"),
      "URLSESSIOND_RETRY_SCALE": "0.01", "COMBINATIONS_REPORT": report.path(percentEncoded: false),
    ]
  }

  /// Runs the cases and returns what was found, a line each.
  func run(first: UInt64, count: Int, told: String?) async throws -> [String] {
    defer { try? FileManager.default.removeItem(at: folder) }
    var environment = environment
    environment["COMBINATIONS_SEED"] = "\(first)"
    environment["COMBINATIONS_CASES"] = "\(count)"
    if let told { environment["COMBINATIONS_CASE"] = told }
    let child = try ChildProcess(ofThisProgram: "childRunsABatch", in: folder, environment: environment)
    let ending = await child.end()
    endDaemon(environment)
    let lines = ((try? String(contentsOf: report, encoding: .utf8)) ?? "").split(separator: "\n")
    var problems = lines.filter { $0.hasPrefix("problem ") }.map { String($0.dropFirst("problem ".count)) }
    if ending != .exit(0) { problems.append("the process ended with \(ending) during \(BatchChild.unfinished(lines))") }
    if lines.isEmpty { problems.append("no case was run") }
    return problems
  }

  /// The cases that had begun and not ended.
  private static func unfinished(_ lines: [Substring]) -> [Substring] {
    let ended = Set(lines.filter { $0.hasPrefix("end ") }.map { $0.dropFirst("end ".count) })
    return lines.filter { $0.hasPrefix("begin ") }.map { $0.dropFirst("begin ".count) }.filter { line in
      !ended.contains(line.prefix { $0 != " " })
    }
  }

  private func endDaemon(_ environment: [String: String]) {
    guard let places = try? BackgroundPlaces(environment: environment, home: folder),
      let link = try? DaemonStarter(places: places, environment: environment).connectNow()
    else { return }
    kill(link.peer.process, SIGTERM)
    link.close()
  }
}
