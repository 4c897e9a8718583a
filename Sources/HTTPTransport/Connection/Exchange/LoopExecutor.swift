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
/// Jobs are batched: however many are enqueued before the loop gets round to them, it is woken once.
package final class LoopExecutor: TaskExecutor, Sendable {
  /// Something to do. In a struct, because a function that is an array's element itself is wrapped into another one, which is allocated.
  private struct Action: Sendable {
    let run: @Sendable () -> Void
  }

  /// What is to be done on the loop.
  private struct Work {
    var jobs: [UnownedJob] = []
    var actions: [Action] = []

    var isEmpty: Bool { jobs.isEmpty && actions.isEmpty }

    /// Empties it; the room is kept unless it is much.
    mutating func clear() {
      jobs.removeAll(keepingCapacity: jobs.capacity < 4096)
      actions.removeAll(keepingCapacity: actions.capacity < 4096)
    }
  }

  private struct Queue {
    var work = Work()
    /// Empty: the room of what was done last.
    var spare = Work()
    var isScheduled = false
  }

  /// Loop-confined: what the jobs of one batch leave to be done after them.
  private final class Aftermath: @unchecked Sendable {
    // @unchecked: confined to `eventLoop`, on which `drain`, `runOffLoop`, `runAfterJobs`, `loadBegan` and `loadEnded` use it.
    // `@exclusivity(unchecked)`: no call that changes one of these properties calls anything back; the check would cost a call of the runtime
    // for each load that ends.
    @exclusivity(unchecked) var actions: [Action] = []
    /// What wakes other threads.
    @exclusivity(unchecked) var wakes: [Action] = []
    @exclusivity(unchecked) var isRunningJobs = false
    /// Loads that haven't ended.
    @exclusivity(unchecked) var underWay = 0
    /// Whether one has ended since the loop last gave way to its caller.
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

  /// Runs `action` on the event loop, soon; from any thread. Shares the wake-up of the jobs.
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

  /// True if there was nothing left; then the next job or action schedules a drain again.
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

  /// A load has been begun.
  package func loadBegan() {
    assert(eventLoop.inEventLoop)
    aftermath.underWay += 1
  }

  /// A load has ended, and its caller is told.
  package func loadEnded() {
    assert(eventLoop.inEventLoop)
    aftermath.underWay -= 1
    aftermath.hasEnded = true
  }

  /// Those who have been woken may each wake another one: a delegate's call resumes the app's task.
  private static let yieldsAtMost = 3

  /// Once all loads have ended: gives up the processor for a moment, for the callers who have been told.
  /// - Returns: Whether there are jobs or actions now, which it is the caller's turn to run.
  private func givesWay() -> Bool {
    guard aftermath.hasEnded, aftermath.underWay == 0 else { return false }
    aftermath.hasEnded = false
    guard aftermath.yielding.tries() else { return false }
    // From now on those who enqueue something don't wake the loop.
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

  /// Runs `wake`, which gives another thread something to do: on the event loop after the round of jobs that it is running now, elsewhere at
  /// once.
  ///
  /// A thread that is woken for the first of several things may take the loop's processor at once, and is asleep again before the second.
  package func runAfterJobs(_ wake: @escaping @Sendable () -> Void) {
    guard eventLoop.inEventLoop, aftermath.isRunningJobs else { return wake() }
    aftermath.wakes.append(Action(run: wake))
  }

  private func wakeOthers() {
    guard !aftermath.wakes.isEmpty else { return }
    // An app's own queue may run at once what it is given, and that may come back here.
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
      // Resuming a single continuation costs less than a hop of its own.
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
