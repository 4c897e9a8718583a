import Dispatch
import Foundation
import LoadingModel

/// Runs Swift tasks on the process's first thread.
///
/// An asynchronous `main` would leave that thread idle in Dispatch, and run on the threads of a pool. A tool that waits for one load needs neither
/// the pool nor the time to start it. No code of the tool may wait for the main actor or Dispatch's main queue, because no thread serves them.
final class MainThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  /// Signalled once for each job. One pass runs all waiting jobs, so that a later signal may find none.
  private let arrivals = DispatchSemaphore(value: 0)

  /// Runs `work`, and everything that it awaits, on the current thread; then ends the process.
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
