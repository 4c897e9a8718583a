import Dispatch
import Foundation
import LoadingModel

/// Runs Swift tasks on the thread that the process has begun with.
///
/// An asynchronous `main` hands that thread to Dispatch, where it does nothing, and runs on the threads of a pool. A tool that waits for one load
/// needs neither the pool nor its start. Nothing may wait for the main actor or Dispatch's main queue in the tool: no thread serves them.
final class MainThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  /// Signalled once for each job; a job may be gone already when its signal is seen.
  private let arrivals = DispatchSemaphore(value: 0)

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
    jobs.withLock { $0.append(job) }
    arrivals.signal()
  }

  private func serve() -> Never {
    let executor = asUnownedTaskExecutor()
    while true {
      arrivals.wait()
      let waiting = jobs.withLock { jobs in
        defer { jobs = [] }
        return jobs
      }
      for job in waiting { job.runSynchronously(on: executor) }
    }
  }
}
