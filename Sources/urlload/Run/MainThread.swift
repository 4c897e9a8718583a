import Foundation
import LoadingModel

/// Runs Swift tasks on the thread that the process has begun with.
///
/// An asynchronous `main` hands that thread to Dispatch, where it does nothing, and runs on the threads of a pool. A tool that waits for one load
/// needs neither the pool nor its start. Nothing may wait for the main actor or Dispatch's main queue in the tool: no thread serves them.
final class MainThread: TaskExecutor, @unchecked Sendable {
  // @unchecked: `jobs` is accessed with `condition` locked alone.
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []

  /// Runs `work`, and what it awaits, on the current thread; ends the process after it.
  static func run(_ work: @escaping @Sendable () async -> Void) -> Never {
    let thread = MainThread()
    Task(executorPreference: thread) {
      await work()
      exit(EXIT_SUCCESS)
    }
    thread.serve()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    jobs.append(job)
    condition.signal()
    condition.unlock()
  }

  private func serve() -> Never {
    let executor = asUnownedTaskExecutor()
    while true {
      for job in next() { job.runSynchronously(on: executor) }
    }
  }

  /// The jobs that wait; there is at least one.
  private func next() -> [UnownedJob] {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty { condition.wait() }
    defer { jobs = [] }
    return jobs
  }
}
