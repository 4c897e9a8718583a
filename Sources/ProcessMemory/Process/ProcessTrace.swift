import Foundation

/// The calls of ptrace(2) that `TracedCommand` needs. Each must be made on the thread that has seized the process.
///
/// The C function takes a variable number of arguments, which Swift doesn't import. It is looked up by its name and called with four words:
/// on Linux's 64-bit systems those are passed in the same registers either way.
struct ProcessTrace {
  private typealias Function = @convention(c) (Int32, pid_t, UInt, UInt) -> Int

  private enum Request {
    static let resume: Int32 = 7
    static let seize: Int32 = 0x4206
    static let listen: Int32 = 0x4208
  }

  /// `PTRACE_O_TRACEEXIT`.
  private static let stopsAtExit: UInt = 0x40

  private let call: Function

  /// nil where the C library has no such function.
  init?() {
    guard let symbol = dlsym(nil, "ptrace") else { return nil }
    call = unsafeBitCast(symbol, to: Function.self)
  }

  /// Begins to trace a process that is stopped at its exit later on.
  /// - Returns: The system's error number, if it isn't permitted.
  func seize(_ process: pid_t) -> Int32? { call(Request.seize, process, 0, ProcessTrace.stopsAtExit) < 0 ? errno : nil }

  /// Lets the process go on, and delivers a signal to it. A process that was killed meanwhile needs nothing: its end is reported by waitpid(2).
  func resume(_ process: pid_t, signal: Int32 = 0) { _ = call(Request.resume, process, 0, UInt(max(0, signal))) }

  /// Leaves the process stopped, as the signal that has stopped it demands, until it gets SIGCONT.
  func listen(_ process: pid_t) { _ = call(Request.listen, process, 0, 0) }
}

/// A status of waitpid(2). A value.
struct WaitStatus: Equatable {
  /// Why a traced process is stopped.
  enum Stop: Equatable {
    /// It is about to exit: `PTRACE_EVENT_EXIT`.
    case exit
    /// A stopping signal has taken effect.
    case group
    /// A signal waits to be delivered.
    case signal(Int32)
    case other
  }

  private let status: Int32

  init(_ status: Int32) { self.status = status }

  var isStopped: Bool { status & 0xFF == 0x7F }

  /// How the process has ended; nil if it is stopped or goes on.
  var ending: TracedCommand.Ending? {
    if status & 0x7F == 0 { return .exit((status >> 8) & 0xFF) }
    return isStopped || status == 0xFFFF ? nil : .signal(status & 0x7F)
  }

  var stop: Stop {
    let signal = (status >> 8) & 0xFF
    switch status >> 16 {
    case 0: return isStopped ? .signal(signal) : .other
    case 6: return .exit
    // PTRACE_EVENT_STOP: by a stopping signal, or (SIGTRAP) when it goes on.
    case 128: return [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU].contains(signal) ? .group : .other
    default: return .other
    }
  }
}
