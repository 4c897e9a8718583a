import Foundation

/// A command that is stopped by the kernel at its exit, while its memory is still there (ptrace(2), `PTRACE_O_TRACEEXIT`).
///
/// Tracing belongs to a thread: `start` and `waitForEnd` must be called on the same one. Programs that the command starts aren't traced.
///
///     start: sh stops itself ──▶ seized ──▶ continued: sh becomes the command ──▶ PTRACE_EVENT_EXIT ──▶ ended
package struct TracedCommand {
  /// How a command has ended.
  package enum Ending: Sendable, Equatable {
    case exit(Int32)
    case signal(Int32)

    /// The status that a shell would report: 128 and the signal's number for a signal.
    package var shellStatus: Int32 {
      switch self {
      case .exit(let status): status
      case .signal(let number): 128 + number
      }
    }
  }

  package let process: Int32
  private let trace: ProcessTrace

  /// Starts a command, with this process's standard streams.
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - folders: Where a program without a slash in its name is looked for, joined by colons as in `PATH`; nil for the usual ones.
  /// - Throws: `CommandFailure`; the command hasn't run then.
  package static func start(
    _ words: [String], searching folders: String? = nil
  ) throws(CommandFailure) -> TracedCommand {
    let path = try ExecutableSearch.path(words.first ?? "", in: folders ?? "/usr/local/bin:/bin:/usr/bin")
    guard let trace = ProcessTrace() else { throw .cannotTrace(ENOSYS) }
    // The shell stops before it becomes the command, so that not one instruction of the command runs untraced.
    let process = try spawn(["/bin/sh", "-c", "kill -STOP $$; exec \"$@\"", "sh", path] + words.dropFirst())
    var status: Int32 = 0
    while waitpid(process, &status, WUNTRACED) < 0, errno == EINTR {}
    guard WaitStatus(status).isStopped else { throw .cannotStart(ECHILD) }
    if let code = trace.seize(process) {
      kill(process, SIGKILL)
      while waitpid(process, nil, 0) < 0, errno == EINTR {}
      throw .cannotTrace(code)
    }
    kill(process, SIGCONT)
    return TracedCommand(process: process, trace: trace)
  }

  /// Waits for the command's end.
  /// - Parameter atExit: Called once while the command is stopped at its exit. Not called if the kernel ends it without stopping it.
  package func waitForEnd(atExit: () -> Void) -> Ending {
    while true {
      var number: Int32 = 0
      let result = waitpid(process, &number, Int32(bitPattern: UInt32(0x4000_0000)))  // __WALL
      if result < 0, errno != EINTR { return .signal(SIGKILL) }
      guard result == process else { continue }
      let status = WaitStatus(number)
      if let ending = status.ending { return ending }
      switch status.stop {
      case .exit:
        atExit()
        trace.resume(process)
      case .group: trace.listen(process)
      case .signal(let signal): trace.resume(process, signal: signal)
      case .other: trace.resume(process)
      }
    }
  }

  private static func spawn(_ words: [String]) throws(CommandFailure) -> Int32 {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process may ignore what the terminal sends while it waits; the command doesn't inherit that.
    var restored = sigset_t()
    sigemptyset(&restored)
    for signal in [SIGINT, SIGQUIT, SIGPIPE] { sigaddset(&restored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &restored)
    // Threads of a pool have signals blocked.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, words[0], nil, &attributes, &arguments, environ)
    guard code == 0 else { throw .cannotStart(code) }
    return process
  }
}

/// Why a command can't be run.
package enum CommandFailure: Error, Sendable, Equatable {
  case notFound(String)
  case notExecutable(String)
  /// The system doesn't permit tracing, with its error number.
  case cannotTrace(Int32)
  /// The process can't be made, with the system's error number.
  case cannotStart(Int32)
}
