import Dispatch
import LoadingModel
import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Runs the jobs of loads on one event loop, so that a load and its connection share a thread.
///
/// Jobs are batched: all jobs that are enqueued before the loop runs them share one wake-up of the loop.
package final class LoopExecutor: TaskExecutor, Sendable {
  /// A closure in a struct: Swift wraps a closure that is itself an array's element into another one, which would be allocated.
  private struct Action: Sendable {
    let run: @Sendable () -> Void
  }

  /// The jobs and actions that wait for the event loop.
  private struct Work {
    var jobs: [UnownedJob] = []
    var actions: [Action] = []

    var isEmpty: Bool { jobs.isEmpty && actions.isEmpty }

    /// Removes all jobs and actions. The arrays keep their memory, unless they are large.
    mutating func clear() {
      jobs.removeAll(keepingCapacity: jobs.capacity < 4096)
      actions.removeAll(keepingCapacity: actions.capacity < 4096)
    }
  }

  private struct Queue {
    var work = Work()
    /// An empty `Work` with the arrays of the batch that ran last, to reuse their memory.
    var spare = Work()
    var isScheduled = false
  }

  /// State of the event loop between batches: the actions that run after the jobs of a batch, and the counts of loads for `givesWay`.
  private final class Aftermath: @unchecked Sendable {
    // @unchecked: confined to `eventLoop`, on which `drain`, `runOffLoop`, `runAfterJobs`, `loadBegan` and `loadEnded` use it.
    // `@exclusivity(unchecked)`: no call that changes one of these properties calls anything back; the runtime's exclusivity check would cost a call
    // for each load that ends.
    @exclusivity(unchecked) var actions: [Action] = []
    /// Actions that give other threads something to do (`runAfterJobs`); they run after the current round of jobs.
    @exclusivity(unchecked) var wakes: [Action] = []
    @exclusivity(unchecked) var isRunningJobs = false
    /// The number of loads that have begun and not ended.
    @exclusivity(unchecked) var underWay = 0
    /// Whether a load has ended since `givesWay` was last called with no load under way.
    @exclusivity(unchecked) var hasEnded = false
    @exclusivity(unchecked) var yielding = YieldDecision()
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
      queue.work.jobs.append(unowned)
      defer { queue.isScheduled = true }
      return !queue.isScheduled
    }
    if mustSchedule { eventLoop.execute(self.drain) }
  }

  /// Runs `action` soon on the event loop; callable from any thread. Like jobs, all actions queued meanwhile share one wake-up of the loop.
  package func submit(_ action: @escaping @Sendable () -> Void) {
    let mustSchedule = queue.withLock { queue in
      queue.work.actions.append(Action(run: action))
      defer { queue.isScheduled = true }
      return !queue.isScheduled
    }
    if mustSchedule { eventLoop.execute(self.drain) }
  }

  /// Rounds of jobs that make more jobs before the loop looks at its sockets again.
  private static let roundsPerTick = 8

  @Sendable private func drain() {
    runRounds()
    if givesWay() { runRounds() }
  }

  private func runRounds() {
    aftermath.isRunningJobs = true
    var isDone = false
    for _ in 0..<LoopExecutor.roundsPerTick where !isDone { isDone = runRound() }
    aftermath.isRunningJobs = false
    leaveLoop()
    if !isDone { eventLoop.execute(self.drain) }
  }

  /// Runs the jobs and actions enqueued so far. Returns true if there were none; then the next one enqueued schedules `drain` again.
  private func runRound() -> Bool {
    var work = queue.withLock { queue in
      var taken = Work()
      swap(&taken, &queue.spare)
      swap(&taken, &queue.work)
      if taken.isEmpty { queue.isScheduled = false }
      return taken
    }
    let isDone = work.isEmpty
    for action in work.actions { action.run() }
    let executor = asUnownedTaskExecutor()
    for job in work.jobs { job.runSynchronously(on: executor) }
    work.clear()
    queue.withLock { swap(&$0.spare, &work) }
    wakeOthers()
    return isDone
  }

  /// Counts a load that begins, for `givesWay`.
  package func loadBegan() {
    assert(eventLoop.inEventLoop)
    aftermath.underWay += 1
  }

  /// Counts a load that has ended and whose caller has been told, for `givesWay`.
  package func loadEnded() {
    assert(eventLoop.inEventLoop)
    aftermath.underWay -= 1
    aftermath.hasEnded = true
  }

  /// The most calls of sched_yield in a row: a thread that was woken may wake another one, as a delegate's call resumes the app's task.
  private static let yieldsAtMost = 3

  /// Once all loads have ended, gives up the processor for a moment so that the callers who have been told can start their next load.
  /// - Returns: Whether jobs or actions have been enqueued meanwhile, which the caller has to run.
  private func givesWay() -> Bool {
    guard aftermath.hasEnded, aftermath.underWay == 0 else { return false }
    aftermath.hasEnded = false
    guard aftermath.yielding.tries() else { return false }
    // With `isScheduled` set, enqueuing a job doesn't wake the loop, which is awake.
    let isFirst = queue.withLock { queue in
      defer { queue.isScheduled = true }
      return !queue.isScheduled
    }
    guard isFirst else { return false }
    let begun = NIODeadline.now()
    var hasWork = false
    var duration = TimeAmount.zero
    for _ in 0..<LoopExecutor.yieldsAtMost where !hasWork && duration.nanoseconds <= YieldDecision.patience {
      sched_yield()
      hasWork = queue.withLock { !$0.work.isEmpty }
      duration = NIODeadline.now() - begun
    }
    if !hasWork {
      hasWork = queue.withLock { queue in
        queue.isScheduled = !queue.work.isEmpty
        return queue.isScheduled
      }
    }
    aftermath.yielding.tried(hasWork, duration: duration.nanoseconds)
    return hasWork
  }

  /// Runs `action` soon, off the event loop: what resumes the callers of finished loads.
  ///
  /// Several that finish in one batch leave the loop together. Resuming them one by one would wake a thread for each, which mostly would
  /// find the processor taken by the loop that has just woken it.
  package func runOffLoop(_ action: @escaping @Sendable () -> Void) {
    assert(eventLoop.inEventLoop)
    aftermath.actions.append(Action(run: action))
    if !aftermath.isRunningJobs { leaveLoop() }
  }

  /// Runs `wake`, which gives another thread something to do: on the event loop after its current round of jobs, or at once if called elsewhere.
  ///
  /// Without the delay a thread woken for the first of several things could take the loop's processor, and be asleep again before the second.
  package func runAfterJobs(_ wake: @escaping @Sendable () -> Void) {
    guard eventLoop.inEventLoop, aftermath.isRunningJobs else { return wake() }
    aftermath.wakes.append(Action(run: wake))
  }

  private func wakeOthers() {
    guard !aftermath.wakes.isEmpty else { return }
    // `wake` may run an app's own queue synchronously, and that may call `runAfterJobs` again: the array isn't iterated while it may change.
    var wakes: [Action] = []
    swap(&wakes, &aftermath.wakes)
    for wake in wakes { wake.run() }
    wakes.removeAll(keepingCapacity: wakes.capacity < 4096)
    if aftermath.wakes.isEmpty { aftermath.wakes = wakes }
  }

  private func leaveLoop() {
    wakeOthers()
    let count = aftermath.actions.count
    guard count > 0 else { return }
    if count == 1 {
      // Resuming a single continuation here costs less than dispatching it to another thread.
      aftermath.actions.removeLast().run()
      return
    }
    let actions = aftermath.actions
    aftermath.actions = []
    DispatchQueue.global().async {
      for action in actions { action.run() }
    }
  }
}
