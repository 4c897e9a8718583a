import BackgroundTransfers
import CLoadingProcess
import Foundation

/// How an app is started: a process of its own that outlives the daemon, or a unit of systemd.
struct AppProgram: Sendable {
  /// Environment variables that systemd sets for the daemon's process alone, and that a started program mustn't inherit.
  private static let serviceVariables: Set<String> = [
    "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "JOURNAL_STREAM", "INVOCATION_ID",
  ]
  private static let env = "/usr/bin/env"

  private let launch: SessionTerms.Launch
  private let environment: [String: String]
  /// nil for the daemon's own.
  private let creationMask: UInt16?

  /// - Parameter environment: The daemon's environment: for `systemctl`, and for an app whose session came without an environment of its own.
  init(_ launch: SessionTerms.Launch, of terms: SessionTerms, environment: [String: String]) {
    self.launch = launch
    creationMask = terms.creationMask
    var variables = environment
    if case .command(_, _, let added) = launch {
      variables = (terms.environment ?? environment).merging(added) { $1 }
      variables[SessionTerms.Launch.variable] = terms.identifier
    }
    self.environment = variables.filter { !AppProgram.serviceVariables.contains($0.key) }
  }

  /// Starts the app. Blocks until its program runs, or systemd has accepted the job.
  /// - Returns: nil after success, or what went wrong.
  func start() -> String? {
    switch launch {
    case .command(let words, let folder, _): start(words, in: folder)
    case .unit(let name): startUnit(name)
    }
  }

  private func start(_ words: [String], in folder: String?) -> String? {
    guard let path = words.first, path.hasPrefix("/"), !words.contains(where: { $0.contains("\0") }) else {
      return "the command must begin with the absolute path of a program"
    }
    guard access(path, X_OK) == 0 else { return "\(path): \(String(cString: strerror(errno)))" }
    let folder = folder ?? "/"
    guard access(folder, X_OK) == 0 else { return "\(folder): \(String(cString: strerror(errno)))" }
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.filter { AppProgram.isValid($0.key) && !$0.value.contains("\0") }.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in arguments + variables { free(text) } }
    let mask = creationMask.map { Int32($0 & 0o777) } ?? -1
    let code = uls_start_detached(path, folder, arguments, variables + [nil], mask)
    return code == 0 ? nil : "\(path): \(String(cString: strerror(code)))"
  }

  private static func isValid(_ name: String) -> Bool { !name.isEmpty && !name.contains("=") && !name.contains("\0") }

  // MARK: systemd

  private func startUnit(_ name: String) -> String? {
    guard !name.isEmpty, !name.hasPrefix("-"), !name.contains("/"), !name.contains("\0") else { return "\(name) isn't the name of a unit" }
    let words = [AppProgram.env, "systemctl", "--user", "--no-block", "start", name]
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.filter { AppProgram.isValid($0.key) && !$0.value.contains("\0") }.map { strdup("\($0.key)=\($0.value)") }
    variables.append(nil)
    defer { for text in arguments + variables { free(text) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [0, 1, 2] as [Int32] { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) }
    var process: pid_t = 0
    let code = posix_spawn(&process, AppProgram.env, &actions, nil, &arguments, &variables)
    guard code == 0 else { return "systemctl can't be started: \(String(cString: strerror(code)))" }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return "systemctl can't be waited for" } }
    return status == 0 ? nil : "`systemctl --user start \(name)` has failed; `systemctl --user status \(name)` says why"
  }
}
