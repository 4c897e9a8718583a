import LoadingModel
import NIOCore
import ProtocolRules

/// What one load carries through every stage: its loop, clock, failure, deadlines and metrics.
///
/// Cancellation, timeouts and invalidation are one path: `interrupt` notes the error and ends whatever the load is waiting for.
/// Owned by the load; confined to its event loop.
package final class LoadContext: @unchecked Sendable {
  // @unchecked: `executor` and `clock` are immutable. Everything else is set by the thread that makes the load before the load is handed
  // to its event loop (`LoadSession.start` submits it there), and confined to that loop from then on; the methods assert it.
  package let executor: LoopExecutor
  package let clock: any LoadClock
  /// Why the load must end, set once; or what it is doing now (`interruptAttempt`), until `forgive`.
  @exclusivity(unchecked) package private(set) var failure: LoadError?
  /// Whether `failure` ends an attempt, and not the load.
  private var failsAttemptAlone = false
  /// The open transaction. Stages fill it in; the driver collects it.
  @exclusivity(unchecked) package var record: TransactionRecord
  /// Finished transactions, oldest first: one per redirect, retry and final exchange.
  package private(set) var finishedRecords: [TransactionRecord] = []
  /// Whether the records' requests show the header fields as sent: the metrics will be read.
  package var recordsSentFields = false
  /// Is told how the load goes on; nil where nothing is logged, counted or traced.
  @exclusivity(unchecked) package var observer: (any LoadObserver)?
  /// Is told what the load carries; nil where nothing records that.
  @exclusivity(unchecked) package var contents: (any ContentObserver)?

  /// When a byte last moved, for the request timeout.
  @exclusivity(unchecked) package var lastActivity: Instant
  /// Seconds without activity after which the load fails; not counted while suspended.
  package var idleTimeout: Double
  /// When the load must have ended, activity or not.
  package var resourceDeadline = Instant(nanoseconds: .max)
  /// The load's place in its session's list; the session's alone.
  package var place = -1

  /// What the load asks of its connection.
  @exclusivity(unchecked) package var terms = ConnectionTerms()
  /// How urgent the load is among others.
  package var priority = LoadPriority()
  /// Connections of the load's own, beside the pool's.
  @exclusivity(unchecked) package weak var ownPath: (any PathBound)?

  /// The load has ended: its app is asked nothing more.
  @exclusivity(unchecked) package private(set) var isOver = false

  /// A suspended load sends, reads and delivers nothing, and its request timeout stands still.
  @exclusivity(unchecked) package private(set) var isSuspended = false
  private var suspended: [UnsafeContinuation<Void, Never>] = []
  @exclusivity(unchecked) private var wait: (any Interruptible)?
  /// What goes on while the load itself waits for something else: a stream's reads.
  @exclusivity(unchecked) package var companion: (any Interruptible)?
  /// Answers and room that the load waits for from the app: time spent there isn't the peer's.
  private var appWaits = 0
  /// What it holds while it is on its way to a connection.
  @exclusivity(unchecked) private var ticket = AdmissionTicket.none
  @exclusivity(unchecked) private var admissions: (any AdmissionGate)?

  package init(executor: LoopExecutor, clock: any LoadClock, request: LoadRequest, idleTimeout: Double) {
    self.executor = executor
    self.clock = clock
    self.idleTimeout = idleTimeout
    record = TransactionRecord(request: request)
    let now = clock.now
    lastActivity = now
    record.fetchStart = now
  }

  package var eventLoop: any EventLoop { executor.eventLoop }

  func hold(_ ticket: AdmissionTicket, of admissions: any AdmissionGate) {
    assert(eventLoop.inEventLoop)
    self.ticket = ticket
    self.admissions = admissions
  }

  /// The load has its connection, waits for something else, or has ended: others may set out.
  package func hasArrived() {
    assert(eventLoop.inEventLoop)
    guard let admissions else { return }
    self.admissions = nil
    let held = ticket
    ticket = .none
    admissions.giveBack(held)
  }

  /// Declares what to interrupt from now on; nil once the wait is over. Where the load has been interrupted already, `wait` is at once: nothing
  /// else would end it.
  package func waits(on wait: (any Interruptible)?) {
    assert(eventLoop.inEventLoop)
    if let failure, let wait { return wait.interrupt(failure) }
    self.wait = wait
  }

  /// Waits for the app through `wait`, which an interruption ends; what the load waited on before stands again afterwards.
  package func beginAppWait(_ wait: any Interruptible) -> (any Interruptible)? {
    assert(eventLoop.inEventLoop)
    let previous = self.wait
    self.wait = wait
    appWaits += 1
    hasArrived()
    return previous
  }

  package func endAppWait(restoring previous: (any Interruptible)?) {
    assert(eventLoop.inEventLoop)
    wait = previous
    appWaits -= 1
    noteActivity()
    // The task may have been suspended and resumed meanwhile, and the connection have stopped reading.
    if !isSuspended { previous?.suspensionEnded() }
  }

  /// Waits for a disk through `wait`: as for the app, except that the load can time out meanwhile.
  package func beginDiskWait(_ wait: any Interruptible) -> (any Interruptible)? {
    assert(eventLoop.inEventLoop)
    let previous = self.wait
    self.wait = wait
    return previous
  }

  package func endDiskWait(restoring previous: (any Interruptible)?) {
    assert(eventLoop.inEventLoop)
    wait = previous
    noteActivity()
    if !isSuspended { previous?.suspensionEnded() }
  }

  /// The app is asked about the connection that this load waits for; the wait itself stays the pool's.
  func beginConnectionQuestion() {
    assert(eventLoop.inEventLoop)
    appWaits += 1
  }

  func endConnectionQuestion() {
    assert(eventLoop.inEventLoop)
    appWaits -= 1
    noteActivity()
  }

  /// The load's last moment in the engine; its client is told after it.
  package func end() {
    assert(eventLoop.inEventLoop)
    isOver = true
    hasArrived()
    // The exchange refers back to its context.
    waits(on: nil)
  }

  /// What the load does while it waits; nil where its record says it.
  package var awaitedPhase: LoadError.Phase? { wait?.phase }

  /// Ends the load: the first error stands, later ones are consequences of it.
  package func interrupt(_ error: LoadError) {
    assert(eventLoop.inEventLoop)
    guard failure == nil || failsAttemptAlone else { return }
    failsAttemptAlone = false
    fail(error)
  }

  /// Ends what the load is doing, to its caller's knowledge: all that is on the way there behaves as at the load's end. `forgive` has the load
  /// go on.
  package func interruptAttempt(_ error: LoadError) {
    assert(eventLoop.inEventLoop)
    guard failure == nil else { return }
    failsAttemptAlone = true
    fail(error)
  }

  /// What `interruptAttempt` was to end has ended.
  package func forgive() {
    assert(eventLoop.inEventLoop)
    guard failsAttemptAlone else { return }
    failsAttemptAlone = false
    failure = nil
  }

  private func fail(_ error: LoadError) {
    failure = error
    let interrupted = wait
    wait = nil
    interrupted?.interrupt(error)
    releaseSuspended()
  }

  package func setSuspended(_ isSuspended: Bool) {
    assert(eventLoop.inEventLoop)
    guard self.isSuspended != isSuspended else { return }
    self.isSuspended = isSuspended
    guard !isSuspended else { return hasArrived() }
    noteActivity()
    wait?.suspensionEnded()
    // Its reads go on, though the load itself may wait for room or for a response's body.
    if let companion, wait !== companion { companion.suspensionEnded() }
    releaseSuspended()
  }

  package func setPriority(_ priority: Float) {
    assert(eventLoop.inEventLoop)
    guard self.priority.level != priority else { return }
    self.priority.level = priority
    wait?.priorityChanged()
  }

  /// Waits until the load isn't suspended, or has been interrupted.
  package func waitWhileSuspended() async throws(LoadError) {
    assert(eventLoop.inEventLoop)
    while isSuspended, failure == nil {
      await withUnsafeContinuation { suspended.append($0) }
    }
    try checkpoint()
  }

  private func releaseSuspended() {
    let waiting = suspended
    suspended = []
    for continuation in waiting { continuation.resume() }
  }

  /// The moment at which this load times out if nothing happens.
  package var deadline: Instant {
    isSuspended || appWaits > 0 ? resourceDeadline : min(resourceDeadline, lastActivity.advanced(bySeconds: idleTimeout))
  }

  /// When to look at `deadline` again. The clock of a load that waits for its app starts anew at any moment: its deadline is then no
  /// earlier than one interval from `now`.
  package func nextLook(_ now: Instant) -> Instant {
    appWaits > 0 ? min(resourceDeadline, now.advanced(bySeconds: max(1, idleTimeout))) : deadline
  }

  /// Throws if the load has been interrupted: called between waits.
  package func checkpoint() throws(LoadError) {
    assert(eventLoop.inEventLoop)
    if let failure { throw failure }
  }

  package func noteActivity() {
    assert(eventLoop.inEventLoop)
    lastActivity = clock.now
  }

  /// Closes the open transaction and begins one for `request`: a redirect or a retry.
  package func beginTransaction(_ request: LoadRequest) {
    assert(eventLoop.inEventLoop)
    observer?.ended(record, next: request)
    finishedRecords.append(record)
    record = TransactionRecord(request: request)
    record.fetchStart = clock.now
  }

  /// Every transaction, the open one last.
  package var allRecords: [TransactionRecord] { finishedRecords + [record] }
}

/// How urgent a load is among others.
package struct LoadPriority {
  /// 0…1, as `URLSessionTask.priority`.
  package var level: Float = 0.5
  /// As `URLSessionTask.prefersIncrementalDelivery`.
  package var isIncremental = false

  package init(level: Float = 0.5, isIncremental: Bool = false) {
    self.level = level
    self.isIncremental = isIncremental
  }
}
