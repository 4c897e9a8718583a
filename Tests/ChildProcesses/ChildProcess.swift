import Foundation

/// A program started for a test, in a process group of its own.
///
/// Not Foundation's `Process`: that one lets the program inherit the blocked signals of the thread that starts it, so that it can't be
/// ended politely, and is safe only while few files are open.
package struct ChildProcess: Sendable {
  /// How a program has ended.
  package enum Ending: Sendable, Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  package let identifier: pid_t

  /// - Parameters:
  ///   - environment: Variables besides the inherited ones.
  ///   - output: An existing file that takes its standard output; nil discards it.
  /// - Throws: The error of the system call.
  package init(
    _ program: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:], output: URL? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [0, 1, 2] as [Int32] { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) }
    // Sockets of test servers aren't closed by exec: a connection that its server closes would stay open in the program. Descriptors that
    // aren't open don't matter.
    for descriptor in 3..<1024 as Range<Int32> { posix_spawn_file_actions_addclose(&actions, descriptor) }
    if let output { posix_spawn_file_actions_addopen(&actions, 1, output.path(percentEncoded: false), O_WRONLY | O_APPEND, 0) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    // `env` changes the folder, sets the variables and becomes the program.
    let env = "/usr/bin/env"
    let variables = environment.map { "\($0)=\($1)" }
    var words = ([env, "-C", folder.path(percentEncoded: false)] + variables + [program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let result = posix_spawn(&identifier, env, &actions, &attributes, &words, environ)
    guard result == 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(result)) }
    self.identifier = identifier
  }

  /// This very test program once more, to run the one test `name`. By a path that holds even when the program is built anew meanwhile.
  package init(ofThisProgram name: String, in folder: URL, environment: [String: String]) throws {
    try self.init(
      "/proc/\(getpid())/exe", ["--testing-library", "swift-testing", "--filter", name], in: folder, environment: environment)
  }

  /// Whether it hasn't ended yet.
  package var isRunning: Bool { Foundation.kill(identifier, 0) == 0 && waitpid(identifier, nil, WNOHANG) == 0 }

  /// Ends the whole group at once.
  package func stop() {
    kill()
    waitpid(identifier, nil, 0)
  }

  /// Kills the whole group; `end()` returns when it has ended.
  package func kill() { Foundation.kill(-identifier, SIGKILL) }

  /// Waits for the end. For programs that end soon by themselves.
  /// - Returns: The exit status; nil if a signal ended it.
  package func wait() -> Int32? {
    if case .exit(let status) = waitForEnd() { status } else { nil }
  }

  /// Returns when it has ended. Waits on a thread of its own. Once, and not beside the other ways of waiting.
  package func end() async -> Ending {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: waitForEnd()) }
    }
  }

  private func waitForEnd() -> Ending {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      // Another part of the process has waited for it: how it ended isn't known.
      guard errno == EINTR else { return .signal(0) }
    }
    return status & 0x7F == 0 ? .exit((status >> 8) & 0xFF) : .signal(status & 0x7F)
  }
}
