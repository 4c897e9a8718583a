import Dispatch
import NIOCore
import LoadingModel

/// Runs the jobs of loads on one event loop, so that a load and its connection share a thread.
///
/// Jobs are batched: however many are enqueued before the loop gets round to them, it is woken once.
package final class LoopExecutor: TaskExecutor, Sendable {
  private struct Queue {
    var jobs: [UnownedJob] = []
    var spare: [UnownedJob] = []
    var actions: [@Sendable () -> Void] = []
    var isScheduled = false
  }

  /// Loop-confined: what the jobs of one batch leave to be done after them.
  private final class Aftermath: @unchecked Sendable {
    // @unchecked: confined to `eventLoop`, on which `drain`, `runOffLoop` and `runAfterJobs` use it.
    // `@exclusivity(unchecked)`: `actions` and `wakes` are changed by calls of the standard library alone, which call nothing back; the check
    // would cost a call of the runtime for each load that ends.
    @exclusivity(unchecked) var actions: [@Sendable () -> Void] = []
    /// What wakes other threads.
    @exclusivity(unchecked) var wakes: [@Sendable () -> Void] = []
    @exclusivity(unchecked) var isRunningJobs = false
  }

  package let eventLoop: any EventLoop
  private let queue = Mutex(Queue())
  private let aftermath = Aftermath()

  package init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    let mustSchedule = queue.withLock { queue in
      queue.jobs.append(unowned)
      defer { queue.isScheduled = true }
      return !queue.isScheduled
    }
    if mustSchedule { eventLoop.execute(self.drain) }
  }

  /// Runs `action` on the event loop, soon; from any thread. Shares the wake-up of the jobs.
  package func submit(_ action: @escaping @Sendable () -> Void) {
    let mustSchedule = queue.withLock { queue in
      queue.actions.append(action)
      defer { queue.isScheduled = true }
      return !queue.isScheduled
    }
    if mustSchedule { eventLoop.execute(self.drain) }
  }

  /// Rounds of jobs that make more jobs before the loop looks at its sockets again.
  private static let roundsPerTick = 8

  @Sendable private func drain() {
    aftermath.isRunningJobs = true
    var isDone = false
    for _ in 0..<LoopExecutor.roundsPerTick where !isDone { isDone = runRound() }
    aftermath.isRunningJobs = false
    leaveLoop()
    if !isDone { eventLoop.execute(self.drain) }
  }

  /// True if there was nothing left; then the next job or action schedules a drain again.
  private func runRound() -> Bool {
    var (batch, actions) = queue.withLock { queue in
      var taken = queue.spare
      queue.spare = []
      swap(&taken, &queue.jobs)
      var actions: [@Sendable () -> Void] = []
      swap(&actions, &queue.actions)
      if taken.isEmpty, actions.isEmpty { queue.isScheduled = false }
      return (taken, actions)
    }
    let isDone = batch.isEmpty && actions.isEmpty
    for action in actions { action() }
    let executor = asUnownedTaskExecutor()
    for job in batch { job.runSynchronously(on: executor) }
    batch.removeAll(keepingCapacity: batch.capacity < 4096)
    queue.withLock { $0.spare = batch }
    wakeOthers()
    return isDone
  }

  /// Runs `action` soon, off the event loop: what resumes the callers of finished loads.
  ///
  /// Several that finish in one batch leave the loop together. Resuming them one by one would wake a thread for each, which mostly would
  /// find the processor taken by the loop that has just woken it.
  package func runOffLoop(_ action: @escaping @Sendable () -> Void) {
    assert(eventLoop.inEventLoop)
    aftermath.actions.append(action)
    if !aftermath.isRunningJobs { leaveLoop() }
  }

  /// Runs `wake`, which gives another thread something to do: on the event loop after the round of jobs that it is running now, elsewhere at
  /// once.
  ///
  /// A thread that is woken for the first of several things may take the loop's processor at once, and is asleep again before the second.
  package func runAfterJobs(_ wake: @escaping @Sendable () -> Void) {
    guard eventLoop.inEventLoop, aftermath.isRunningJobs else { return wake() }
    aftermath.wakes.append(wake)
  }

  private func wakeOthers() {
    guard !aftermath.wakes.isEmpty else { return }
    // An app's own queue may run at once what it is given, and that may come back here.
    var wakes: [@Sendable () -> Void] = []
    swap(&wakes, &aftermath.wakes)
    for wake in wakes { wake() }
    wakes.removeAll(keepingCapacity: wakes.capacity < 4096)
    if aftermath.wakes.isEmpty { aftermath.wakes = wakes }
  }

  private func leaveLoop() {
    wakeOthers()
    let count = aftermath.actions.count
    guard count > 0 else { return }
    if count == 1 {
      // Resuming a single continuation costs less than a hop of its own.
      aftermath.actions.removeLast()()
      return
    }
    let actions = aftermath.actions
    aftermath.actions = []
    DispatchQueue.global().async {
      for action in actions { action() }
    }
  }
}
