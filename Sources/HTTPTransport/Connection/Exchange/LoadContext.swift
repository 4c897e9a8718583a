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
  // `@exclusivity(unchecked)`: no call that modifies one of these properties accesses it again before it returns. The attribute holds in this module
  // alone (Swift 6.3): what the stages use for every load is computed, or a method, so that their accesses aren't checked either.
  package let executor: LoopExecutor
  package let clock: any LoadClock
  /// The error with which the load must end, set once. After `interruptAttempt` it ends the current attempt alone and is cleared by `forgive`.
  package var failure: LoadError? { interruption }
  @exclusivity(unchecked) private var interruption: LoadError?
  /// Whether `failure` ends an attempt, and not the load.
  @exclusivity(unchecked) private var failsAttemptAlone = false
  /// The metrics of the transaction that is under way. The stages fill them in; `beginTransaction` moves them to `finishedRecords`.
  @exclusivity(unchecked) package var record: TransactionRecord
  /// Finished transactions, oldest first: one per redirect, retry and final exchange.
  @exclusivity(unchecked) package private(set) var finishedRecords: [TransactionRecord] = []
  /// Whether the records' requests show the header fields as sent: the metrics will be read.
  package var recordsSentFields: Bool {
    get { isMeasured }
    set { isMeasured = newValue }
  }
  @exclusivity(unchecked) private var isMeasured = false
  /// Observes the load's progress; nil if nothing is logged, counted or traced.
  package var observer: (any LoadObserver)? {
    get { progress }
    set { progress = newValue }
  }
  @exclusivity(unchecked) private var progress: (any LoadObserver)?
  /// Observes the load's bodies and messages; nil if nothing records them.
  package var contents: (any ContentObserver)? {
    get { recording }
    set { recording = newValue }
  }
  @exclusivity(unchecked) private var recording: (any ContentObserver)?

  /// When a byte last moved, for the request timeout.
  package var lastActivity: Instant {
    get { lastMove }
    set { lastMove = newValue }
  }
  @exclusivity(unchecked) private var lastMove: Instant
  /// Seconds without activity after which the load fails; not counted while suspended.
  @exclusivity(unchecked) package var idleTimeout: Double
  /// What `lookAtSending` has found last (`Interruptible.acknowledgedBytes`).
  private var acknowledged: Int64?
  /// When the load must have ended, activity or not.
  package var resourceDeadline: Instant {
    get { lastMoment }
    set { lastMoment = newValue }
  }
  @exclusivity(unchecked) private var lastMoment = Instant(nanoseconds: .max)
  /// The load's index in the session's list of loads; used by the session alone.
  package var place: Int {
    get { ownPlace }
    set { ownPlace = newValue }
  }
  @exclusivity(unchecked) private var ownPlace = -1

  /// What the load asks of its connection.
  @exclusivity(unchecked) package var terms = ConnectionTerms()
  /// The load's priority among the other loads.
  package var priority: LoadPriority {
    get { ownPriority }
    set { ownPriority = newValue }
  }
  @exclusivity(unchecked) private var ownPriority = LoadPriority()
  /// The object with connections that the load has opened itself (stream, FTP): it is told when local addresses leave the machine.
  @exclusivity(unchecked) package weak var ownPath: (any PathBound)?

  /// Whether the load has ended: its app isn't asked anything any more.
  @exclusivity(unchecked) package private(set) var isOver = false

  /// A suspended load sends, reads and delivers nothing, and its request timeout stands still.
  package var isSuspended: Bool { isHeld }
  @exclusivity(unchecked) private var isHeld = false
  private var suspended: [UnsafeContinuation<Void, Never>] = []
  @exclusivity(unchecked) private var wait: (any Interruptible)?
  /// What runs while the load waits for something else, such as the reads of a stream task: it is told of the load's resumption as well.
  @exclusivity(unchecked) package var companion: (any Interruptible)?
  /// The number of waits for the app under way (answers, room for data): the request timeout doesn't count meanwhile.
  @exclusivity(unchecked) private var appWaits = 0
  /// The admission ticket that the load holds until it has a connection.
  @exclusivity(unchecked) private var ticket = AdmissionTicket.none
  @exclusivity(unchecked) private var admissions: (any AdmissionGate)?

  package init(executor: LoopExecutor, clock: any LoadClock, request: LoadRequest, idleTimeout: Double) {
    self.executor = executor
    self.clock = clock
    self.idleTimeout = idleTimeout
    record = TransactionRecord(request: request)
    let now = clock.now
    lastMove = now
    record.fetchStart = now
  }

  package var eventLoop: any EventLoop { executor.eventLoop }

  func hold(_ ticket: AdmissionTicket, of admissions: any AdmissionGate) {
    assert(eventLoop.inEventLoop)
    self.ticket = ticket
    self.admissions = admissions
  }

  /// Gives back the load's admission ticket, because it has its connection, waits for something else, or has ended: another load can have it.
  package func hasArrived() {
    assert(eventLoop.inEventLoop)
    guard let admissions else { return }
    self.admissions = nil
    let held = ticket
    ticket = .none
    admissions.giveBack(held)
  }

  /// Sets what an interruption ends from now on; nil once the wait is over. If the load has been interrupted already, `wait` is interrupted at once.
  package func waits(on wait: (any Interruptible)?) {
    assert(eventLoop.inEventLoop)
    if let interruption, let wait { return wait.interrupt(interruption) }
    self.wait = wait
  }

  /// Starts a wait for the app, which an interruption ends. Returns the object that the load waited on before, for `endAppWait` to restore.
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
    // The task may have been suspended and resumed during the wait: the connection, which has stopped reading for it, goes on.
    if !isSuspended { previous?.suspensionEnded() }
  }

  /// Starts a wait for a disk: as `beginAppWait`, but the request timeout goes on counting. Returns what `endDiskWait` restores.
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

  /// The app is asked for the sake of what this load waits for (a trust challenge of a connection, a challenge of the app's `URLProtocol`): the request
  /// timeout stands still, while the pool, or the protocol, stays what an interruption ends.
  package func beginQuestion() {
    assert(eventLoop.inEventLoop)
    appWaits += 1
  }

  package func endQuestion() {
    assert(eventLoop.inEventLoop)
    appWaits -= 1
    noteActivity()
  }

  /// Marks the load as ended and gives back its admission ticket, just before its client is told.
  package func end() {
    assert(eventLoop.inEventLoop)
    isOver = true
    hasArrived()
    // Breaks the reference cycle: the exchange, which may be set as the wait, refers to its context.
    waits(on: nil)
  }

  /// The phase of the wait that is under way; nil where the load's record tells it.
  package var awaitedPhase: LoadError.Phase? { wait?.phase }

  /// Ends the load: the first error stands, later ones are consequences of it.
  package func interrupt(_ error: LoadError) {
    assert(eventLoop.inEventLoop)
    guard failure == nil || failsAttemptAlone else { return }
    failsAttemptAlone = false
    fail(error)
  }

  /// Ends the request that is under way, but not the load: its waits and checkpoints throw as at the load's end, until the caller, which knows of
  /// this, lets the load go on by `forgive`.
  package func interruptAttempt(_ error: LoadError) {
    assert(eventLoop.inEventLoop)
    guard failure == nil else { return }
    failsAttemptAlone = true
    fail(error)
  }

  /// The attempt that `interruptAttempt` ended is over: clears `failure`, so that the load can go on.
  package func forgive() {
    assert(eventLoop.inEventLoop)
    guard failsAttemptAlone else { return }
    failsAttemptAlone = false
    interruption = nil
  }

  private func fail(_ error: LoadError) {
    interruption = error
    let interrupted = wait
    wait = nil
    interrupted?.interrupt(error)
    releaseSuspended()
  }

  package func setSuspended(_ isSuspended: Bool) {
    assert(eventLoop.inEventLoop)
    guard self.isSuspended != isSuspended else { return }
    isHeld = isSuspended
    guard !isSuspended else { return hasArrived() }
    noteActivity()
    wait?.suspensionEnded()
    // The companion's reads continue as well: the load itself may wait for something else, such as room for writing.
    if let companion, wait !== companion { companion.suspensionEnded() }
    releaseSuspended()
  }

  package func setPriority(_ priority: Float) {
    assert(eventLoop.inEventLoop)
    guard self.priority.level != priority else { return }
    ownPriority.level = priority
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

  /// When `deadline` has to be checked next. The request timeout of a load that waits for its app restarts when the app answers, at the earliest
  /// now: it can't run out before one interval from `now`. A load with a body is looked at four times in an interval (`lookAtSending`).
  ///
  /// - Parameter now: Evaluated only where it counts: most loads have no body, and reading the clock takes time.
  package func nextLook(_ now: @autoclosure () -> Instant) -> Instant {
    if appWaits > 0 { return min(resourceDeadline, now().advanced(bySeconds: max(1, idleTimeout))) }
    if case .none = record.request.body { return deadline }
    return isSuspended ? deadline : min(deadline, now().advanced(bySeconds: max(0.25, idleTimeout / 4)))
  }

  /// Looks at how much of the body the server has acknowledged: more than at the last look counts as activity. Over a slow link, the system's
  /// buffer may hold minutes of it, during which the connection has nothing to write.
  package func lookAtSending() {
    assert(eventLoop.inEventLoop)
    let now = wait?.acknowledgedBytes
    if let now, let acknowledged, now > acknowledged { noteActivity() }
    acknowledged = now
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

  // MARK: what the last stage notes

  /// Whether the load takes any idle connection: it is bound to none, needs none of its own, and may send now.
  package var takesAnyConnection: Bool {
    if case .webSocket = terms.use { return false }
    return terms.authentication == nil && !terms.needsOwnConnection && !isSuspended
  }

  /// Notes that the request's head has been sent.
  ///
  /// - Parameters:
  /// - length: The head's bytes.
  /// - isWhole: Whether nothing follows it.
  package func hasSent(head length: Int, isWhole: Bool) {
    record.requestHeaderBytes = Int64(length)
    if isWhole { record.requestEnd = clock.now }
  }

  /// Every transaction, the open one last.
  package var allRecords: [TransactionRecord] { finishedRecords + [record] }
}

/// How urgent a load is among others.
package struct LoadPriority {
  /// The priority from 0 to 1, as `URLSessionTask.priority`.
  package var level: Float = 0.5
  /// Whether the app processes the body as it arrives, as `URLSessionTask.prefersIncrementalDelivery`.
  package var isIncremental = false

  package init(level: Float = 0.5, isIncremental: Bool = false) {
    self.level = level
    self.isIncremental = isIncremental
  }
}
