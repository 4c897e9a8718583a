import CLoadingTracing
import Foundation

/// A thread of a stopped process, with what its registers held.
package struct StoppedThread: Sendable {
  package let identifier: Int32
  /// The name in /proc/PID/task/TID/comm.
  package let name: String
  package let stackPointer: UInt64
  /// The words of all registers that may hold a reference.
  package let registers: [UInt64]
}

/// A process whose threads are all stopped, by ptrace(2), until `resume()`. Used by the thread that has made it alone.
package final class StoppedProcess {
  /// Why a process can't be stopped.
  package struct Failure: Error, Equatable {
    package let code: Int32
  }

  package let identifier: Int32
  package private(set) var threads: [StoppedThread] = []
  /// The stopped threads, and the signal that each was about to receive, or 0.
  private var stopped: [(thread: Int32, signal: Int32)] = []

  /// Stops all threads of a process.
  /// - Throws: `Failure` with EPERM where the system doesn't permit it, ESRCH where there is no such process.
  package init(_ identifier: Int32) throws(Failure) {
    self.identifier = identifier
    // Threads may make threads while the others are stopped: a round that finds no new one is the last.
    var seen: Set<Int32> = []
    while true {
      let fresh = ProcessFiles(process: identifier).threadIdentifiers.filter { seen.insert($0).inserted }
      if fresh.isEmpty { break }
      for thread in fresh { try stop(thread) }
    }
    guard !stopped.isEmpty else { throw Failure(code: ESRCH) }
    threads = stopped.compactMap { StoppedProcess.state($0.thread, of: identifier) }
  }

  deinit { resume() }

  /// Lets all threads run on.
  package func resume() {
    for (thread, signal) in stopped { _ = loading_leaks_detach(thread, signal) }
    stopped = []
  }

  private func stop(_ thread: Int32) throws(Failure) {
    let code = loading_leaks_seize(thread)
    guard code == 0 else {
      // A thread that has ended, or whose process has: nothing to stop. The system calls both "not permitted" too.
      if code == ESRCH || StoppedProcess.hasEnded(thread, of: identifier) { return }
      resume()
      throw Failure(code: code)
    }
    var signal: Int32 = 0
    guard loading_leaks_interrupt(thread) == 0, loading_leaks_await_stop(thread, &signal) == 0 else { return }
    stopped.append((thread, signal))
  }

  private static func hasEnded(_ thread: Int32, of process: Int32) -> Bool {
    guard let text = ProcessFiles(process: process).text("task/\(thread)/stat") else { return true }
    return ProcessState(stat: text)?.hasEnded ?? true
  }
}

extension StoppedProcess {
  #if arch(arm64)
    /// Where the stack pointer is among the words of the general registers (`user_pt_regs`).
    private static let stackPointerIndex = 31
  #else
    /// Where the stack pointer is among the words of the general registers (`user_regs_struct`).
    private static let stackPointerIndex = 19
    /// Where the number of the system call is in which the thread waits; -1 outside one.
    private static let systemCallIndex = 15
  #endif

  private static func state(_ thread: Int32, of process: Int32) -> StoppedThread? {
    let general = words(thread, LOADING_LEAKS_GENERAL_REGISTERS)
    guard general.count > stackPointerIndex else { return nil }
    var vectors: [UInt64] = []
    #if !arch(arm64)
      // In a system call the program holds nothing in these: they only have what earlier code has left.
      let isInSystemCall = Int64(bitPattern: general[systemCallIndex]) >= 0
      if !isInSystemCall { vectors = words(thread, LOADING_LEAKS_VECTOR_REGISTERS) }
    #endif
    let name = ProcessFiles(process: process).text("task/\(thread)/comm") ?? ""
    return StoppedThread(
      identifier: thread, name: name.trimmingCharacters(in: .newlines), stackPointer: general[stackPointerIndex],
      registers: general + vectors)
  }

  private static func words(_ thread: Int32, _ set: some BinaryInteger) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: 2048)
    let count = words.withUnsafeMutableBytes { loading_leaks_registers(thread, Int32(set), $0.baseAddress, $0.count) }
    return count > 0 ? Array(words.prefix(count / 8)) : []
  }
}
