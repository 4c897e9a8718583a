import Foundation

/// A command that the kernel stops at its exit, while its memory still exists (ptrace(2), `PTRACE_O_TRACEEXIT`).
///
/// Tracing belongs to a thread, so `start` and `waitForEnd` have to be called on the same one. Programs that the command starts aren't traced.
///
///     start: sh stops itself ──▶ seized ──▶ continued: sh becomes the command ──▶ PTRACE_EVENT_EXIT ──▶ ended
package struct TracedCommand {
  /// How a command has ended.
  package enum Ending: Sendable, Equatable {
    case exit(Int32)
    case signal(Int32)

    /// The status that a shell reports: the exit status, or 128 plus the signal's number.
    package var shellStatus: Int32 {
      switch self {
      case .exit(let status): status
      case .signal(let number): 128 + number
      }
    }
  }

  package let process: Int32
  private let trace: ProcessTrace

  /// Starts a command with this process's standard streams.
  /// - Parameters:
  ///   - words: The program, followed by its arguments.
  ///   - folders: The folders to search for a program name without a slash, separated by colons as in `PATH`; nil for the usual ones.
  /// - Throws: `CommandFailure`; the command hasn't run then.
  package static func start(
    _ words: [String], searching folders: String? = nil
  ) throws(CommandFailure) -> TracedCommand {
    let path = try ExecutableSearch.path(words.first ?? "", in: folders)
    guard let trace = ProcessTrace() else { throw .cannotTrace(ENOSYS) }
    // The command is started by a shell that stops itself before exec, so that the command is traced from its first instruction on.
    let process: pid_t
    do {
      process = try SpawnedProcess.start(["/bin/sh", "-c", "kill -STOP $$; exec \"$@\"", "sh", path] + words.dropFirst())
    } catch { throw .cannotStart(error.code) }
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

  /// Waits for the command's end and returns how it ended.
  /// - Parameter atExit: Called once while the command is stopped at its exit; not called if the kernel ends it without that stop.
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
}

/// Why a command can't be started or traced.
package enum CommandFailure: Error, Sendable, Equatable {
  case notFound(String)
  case notExecutable(String)
  /// The system doesn't permit tracing; with its error number.
  case cannotTrace(Int32)
  /// The process can't be created; with the system's error number.
  case cannotStart(Int32)
}
