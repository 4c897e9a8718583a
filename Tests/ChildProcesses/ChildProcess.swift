import Foundation
import LoadingModel

/// A program started for a test, in a process group of its own.
///
/// Not Foundation's `Process`: that one lets the program inherit the blocked signals of the thread that starts it, so that it can't be
/// ended politely, keeps the files that it has been given open, and copies a directory's entries beyond the end of its buffer when more than
/// some 1,300 files are open, which ends this program where no memory follows.
package struct ChildProcess: Sendable {
  /// How a program has ended.
  package enum Ending: Sendable, Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// What a program has for a standard stream.
  package enum StandardStream: Sendable {
    /// Nothing to read; what is written is discarded.
    case nothing
    /// An existing file, which is read from its beginning or appended to.
    case file(URL)
    case descriptor(Int32)
  }

  package let identifier: pid_t

  /// - Parameters:
  ///   - program: Its path, or a name that is looked for in PATH.
  ///   - environment: Variables besides the inherited ones.
  /// - Throws: The error of the system call. A program that isn't there ends with 127.
  package init(
    _ program: String, _ arguments: [String], in folder: URL = URL(filePath: "/"), environment: [String: String] = [:],
    input: StandardStream = .nothing, output: StandardStream = .nothing, errors: StandardStream = .nothing
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [input, output, errors].enumerated() {
      switch stream {
      case .nothing: posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
      case .file(let file):
        posix_spawn_file_actions_addopen(
          &actions, Int32(number), file.path(percentEncoded: false), number == 0 ? O_RDONLY : O_WRONLY | O_APPEND, 0)
      case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
      }
    }
    // Sockets of test servers aren't closed by exec: a connection that its server closes would stay open in the program. Descriptors that
    // aren't open don't matter.
    for descriptor in 3..<Int32(clamping: min(sysconf(Int32(_SC_OPEN_MAX)), 65536)) {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // What a shell without job control starts ignores them, and so would the program.
    var restored = sigset_t()
    sigemptyset(&restored)
    for signal in [SIGINT, SIGQUIT] { sigaddset(&restored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &restored)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
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

  /// What a program writes on its standard output.
  package static func output(of program: String, _ arguments: [String], in folder: URL = URL(filePath: "/")) async throws -> Data {
    let file = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)", directoryHint: .notDirectory)
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try await ChildProcess(program, arguments, in: folder, output: .file(file)).end()
    return try Data(contentsOf: file)
  }

  /// This very test program once more, to run the one test `name`.
  package init(ofThisProgram name: String, in folder: URL, environment: [String: String]) throws {
    try self.init(TestProgram.path, TestProgram.arguments(test: name), in: folder, environment: environment)
  }

  /// Whether it hasn't ended yet. How it ended can be asked for afterwards.
  package var isRunning: Bool {
    var ended = siginfo_t()
    return waitid(P_PID, id_t(identifier), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_signo == 0
  }

  /// Sends `signal` to the program alone.
  package func send(_ signal: Int32) { Foundation.kill(identifier, signal) }

  /// Ends the whole group at once.
  package func stop() {
    kill()
    waitpid(identifier, nil, 0)
  }

  /// Kills the whole group; `end()` returns when it has ended.
  package func kill() { Foundation.kill(-identifier, SIGKILL) }

  /// Waits for the end, on the caller's thread: not one of those on which tests go on, of which there are as many as processors.
  /// - Returns: The exit status; nil if a signal ended it.
  @available(*, noasync, message: "await end()")
  package func wait() -> Int32? {
    if case .exit(let status) = waitForEnd() { status } else { nil }
  }

  /// Returns when it has ended. Waits on a thread of its own. Once, and not beside the other ways of waiting.
  package func end() async -> Ending {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: waitForEnd()) }
    }
  }

  /// What hangs is killed, so that a test fails that would never end otherwise.
  private func waitForEnd() -> Ending {
    let hasEnded = Mutex(false)
    let limit = DispatchWorkItem { hasEnded.withLock { if !$0 { kill() } } }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(6 * HangLimit.seconds), execute: limit)
    var ended = siginfo_t()
    while waitid(P_PID, id_t(identifier), &ended, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    // Its number is its own up to the call that follows.
    hasEnded.withLock { $0 = true }
    limit.cancel()
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      // Another part of the process has waited for it: how it ended isn't known.
      guard errno == EINTR else { return .signal(0) }
    }
    return status & 0x7F == 0 ? .exit((status >> 8) & 0xFF) : .signal(status & 0x7F)
  }
}
