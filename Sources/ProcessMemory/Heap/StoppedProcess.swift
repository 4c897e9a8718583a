import CLoadingTracing
import Foundation

/// A thread of a stopped process, with the values of its registers.
package struct StoppedThread: Sendable {
  package let identifier: Int32
  /// The thread's name, from /proc/PID/task/TID/comm.
  package let name: String
  package let stackPointer: UInt64
  /// The values of all registers that may contain a reference, as words.
  package let registers: [UInt64]
}

/// A process whose threads are all stopped by ptrace(2) until `resume()`. Must be used only by the thread that has created it.
package final class StoppedProcess {
  /// Why a process couldn't be stopped, with the system's error number.
  package struct Failure: Error, Equatable {
    package let code: Int32
  }

  package let identifier: Int32
  package private(set) var threads: [StoppedThread] = []
  /// The stopped threads, and for each the signal that was about to be delivered to it, or 0.
  private var stopped: [(thread: Int32, signal: Int32)] = []

  /// Stops all threads of a process.
  /// - Throws: `Failure` with EPERM if the system doesn't permit it, with ESRCH if there is no such process.
  package init(_ identifier: Int32) throws(Failure) {
    self.identifier = identifier
    // Threads that aren't stopped yet may create further ones, so the list is read until it has no new threads.
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

  /// Lets all threads continue, and delivers the signals that were pending when they were stopped.
  package func resume() {
    for (thread, signal) in stopped { _ = loading_leaks_detach(thread, signal) }
    stopped = []
  }

  private func stop(_ thread: Int32) throws(Failure) {
    let code = loading_leaks_seize(thread)
    guard code == 0 else {
      // There is nothing to stop if the thread or its process has ended. For that the kernel returns ESRCH, but sometimes EPERM.
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
    /// The index of the stack pointer among the words of the general registers (`user_pt_regs`).
    private static let stackPointerIndex = 31
  #else
    /// The index of the stack pointer among the words of the general registers (`user_regs_struct`).
    private static let stackPointerIndex = 19
    /// The index of the number of the system call in which the thread waits; the word is -1 outside of a system call.
    private static let systemCallIndex = 15
  #endif

  private static func state(_ thread: Int32, of process: Int32) -> StoppedThread? {
    let general = words(thread, LOADING_LEAKS_GENERAL_REGISTERS)
    guard general.count > stackPointerIndex else { return nil }
    var vectors: [UInt64] = []
    #if !arch(arm64)
      // The vector registers aren't read during a system call: by the calling convention the program keeps nothing in them across the call, so they
      // only contain remains of earlier code.
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
