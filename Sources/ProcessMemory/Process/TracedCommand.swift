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
