import Foundation

/// The ptrace(2) requests that `TracedCommand` needs. All have to be made on the thread that has seized the process.
///
/// Swift doesn't import ptrace, because the C function is variadic. It is looked up by name and called with four words, which 64-bit Linux systems
/// pass in the same registers as variadic arguments.
struct ProcessTrace {
  private typealias Function = @convention(c) (Int32, pid_t, UInt, UInt) -> Int

  private enum Request {
    static let resume: Int32 = 7
    static let seize: Int32 = 0x4206
    static let listen: Int32 = 0x4208
  }

  /// The option `PTRACE_O_TRACEEXIT`: the process stops at its exit.
  private static let stopsAtExit: UInt = 0x40

  private let call: Function

  /// Looks ptrace up; nil if the C library doesn't have it.
  init?() {
    guard let symbol = dlsym(nil, "ptrace") else { return nil }
    call = unsafeBitCast(symbol, to: Function.self)
  }

  /// Begins to trace a process, so that it stops at its exit later.
  /// - Returns: nil on success; the system's error number if it isn't permitted.
  func seize(_ process: pid_t) -> Int32? { call(Request.seize, process, 0, ProcessTrace.stopsAtExit) < 0 ? errno : nil }

  /// Lets a stopped process continue, and delivers `signal` to it unless that is 0. The result is ignored: if the process has been killed meanwhile,
  /// waitpid(2) reports its end.
  func resume(_ process: pid_t, signal: Int32 = 0) { _ = call(Request.resume, process, 0, UInt(max(0, signal))) }

  /// Keeps the process stopped, as its stopping signal demands, until it receives SIGCONT (PTRACE_LISTEN).
  func listen(_ process: pid_t) { _ = call(Request.listen, process, 0, 0) }
}

/// A status as waitpid(2) returns it. A value.
struct WaitStatus: Equatable {
  /// Why a traced process is stopped.
  enum Stop: Equatable {
    /// The process is about to exit (`PTRACE_EVENT_EXIT`).
    case exit
    /// A stopping signal has stopped the whole process (group-stop).
    case group
    /// A signal is about to be delivered.
    case signal(Int32)
    case other
  }

  private let status: Int32

  init(_ status: Int32) { self.status = status }

  var isStopped: Bool { status & 0xFF == 0x7F }

  /// How the process has ended; nil if it is stopped or has continued.
  var ending: TracedCommand.Ending? {
    if status & 0x7F == 0 { return .exit((status >> 8) & 0xFF) }
    return isStopped || status == 0xFFFF ? nil : .signal(status & 0x7F)
  }

  var stop: Stop {
    let signal = (status >> 8) & 0xFF
    switch status >> 16 {
    case 0: return isStopped ? .signal(signal) : .other
    case 6: return .exit
    // PTRACE_EVENT_STOP: a group-stop if the signal is a stopping one; otherwise (SIGTRAP) the process continues.
    case 128: return [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU].contains(signal) ? .group : .other
    default: return .other
    }
  }
}
