import LoadingModel
import NIOCore
import ProtocolRules

/// Whether a data task's connection may be wanted when its response is there.
package enum StreamProspect: Sendable {
  case none
  /// The delegate takes streams.
  case possible
  /// The request asks the server to speak something else (RFC 9110, 7.8) besides.
  case upgrade
}

/// What one load carries through every stage: its loop, clock, failure, deadlines and metrics.
///
/// Cancellation, timeouts and invalidation are one path: `interrupt` notes the error and ends whatever the load is waiting for.
/// Owned by the load; confined to its event loop.
package final class LoadContext: @unchecked Sendable {
  // @unchecked: confined to `executor.eventLoop`; every method says so by precondition in debug builds.
  package let executor: LoopExecutor
  package let clock: any LoadClock
  /// Why the load must end; set once.
  @exclusivity(unchecked) package private(set) var failure: LoadError?
  /// The open transaction. Stages fill it in; the driver collects it.
  @exclusivity(unchecked) package var record: TransactionRecord
  /// Finished transactions, oldest first: one per redirect, retry and final exchange.
  package private(set) var finishedRecords: [TransactionRecord] = []
  /// When a byte last moved, for the request timeout.
  @exclusivity(unchecked) package var lastActivity: Instant
  /// Seconds without activity after which the load fails; not counted while suspended.
  package var idleTimeout: Double
  /// When the load must have ended, activity or not.
  package var resourceDeadline = Instant(nanoseconds: .max)
  /// A suspended load sends, reads and delivers nothing, and its request timeout stands still.
  @exclusivity(unchecked) package private(set) var isSuspended = false
  private var suspended: [UnsafeContinuation<Void, Never>] = []
  /// Whether the records' requests show the header fields as sent: the metrics will be read.
  package var recordsSentFields = false
  /// The load's place in its session's list; the session's alone.
  package var place = -1
  /// Redirects followed so far.
  package var redirectCount = 0
  /// Its last number in the pool's waiting lines; the pool's.
  @exclusivity(unchecked) var turn = 0
  /// How the load gets through a proxy; nil without one. The proxy stage's.
  @exclusivity(unchecked) package var routeAttempt: RouteAttempt?
  package var route: Route { routeAttempt?.route ?? .direct }
  /// Connections of the pool that this load may use beside the others; the authentication stage's.
  @exclusivity(unchecked) package var boundAuthentication: BoundAuthentication?
  /// The connection it used last, if it had a boundAuthentication then.
  package var boundConnection: Int?
  /// Which connection the load needs; the retry stage's.
  @exclusivity(unchecked) package var connectionNeed = ConnectionNeed.any
  /// The cookie stages' own.
  @exclusivity(unchecked) package var cookies = CookieProgress()
  /// The request as the stages above the exchange have made it: which credential and cookies went out, for responses that vary by them.
  @exclusivity(unchecked) package var sentRequest: LoadRequest?
  /// What is known of the upload that this load is, where it can be resumed; nil for every other load.
  @exclusivity(unchecked) package var upload: ResumableUpload?
  /// The WebSocket that this load opens; nil for every other load.
  @exclusivity(unchecked) package var webSocket: WebSocketSession?
  /// The stream that this load is; nil for every other load, and for a data task's before it has become one.
  @exclusivity(unchecked) package var stream: StreamSession?
  /// Connections of the load's own, beside the pool's.
  @exclusivity(unchecked) package weak var ownPath: (any PathBound)?
  /// Whether the load may become a stream.
  @exclusivity(unchecked) package var prospect = StreamProspect.none
  /// The exchange whose connection could be taken.
  @exclusivity(unchecked) package var held: Exchange?
  /// Whether it must have a connection of HTTP/1.1, of its own: what it does changes or marks the whole connection. Where a
  /// WebSocket can be a stream of HTTP/2, it has been given one before.
  package var needsOwnConnection: Bool { boundAuthentication != nil || webSocket != nil || prospect == .upgrade }
  /// How its packets are marked, and so which connections it may use.
  package var traffic = TrafficClass.standard
  /// Whether it may be one of several requests under way on a connection of HTTP/1.1; the exchange stage's.
  @exclusivity(unchecked) package var mayBePipelined = false
  /// 0…1, as `URLSessionTask.priority`.
  package var priority: Float = 0.5
  /// As `URLSessionTask.prefersIncrementalDelivery`.
  package var isIncremental = false
  /// What it holds while it is on its way to a connection.
  @exclusivity(unchecked) private var ticket = AdmissionQueue.Ticket.none
  @exclusivity(unchecked) private var admissions: AdmissionQueue?
  private var firstOrigin: Origin?
  private var hasLeftFirstOrigin = false
  @exclusivity(unchecked) private var wait: (any Interruptible)?
  /// Answers and room that the load waits for from the app: time spent there isn't the peer's.
  private var appWaits = 0

  /// Whether the client knows that the load has waited for a network.
  package var hasToldOfWaiting = false

  package init(executor: LoopExecutor, clock: any LoadClock, request: LoadRequest, idleTimeout: Double) {
    self.executor = executor
    self.clock = clock
    self.idleTimeout = idleTimeout
    record = TransactionRecord(request: request)
    firstOrigin = request.target?.origin
    let now = clock.now
    lastActivity = now
    record.fetchStart = now
  }

  package var eventLoop: any EventLoop { executor.eventLoop }

  func hold(_ ticket: AdmissionQueue.Ticket, of admissions: AdmissionQueue) {
    self.ticket = ticket
    self.admissions = admissions
  }

  /// The load has its connection, waits for something else, or has ended: others may set out.
  package func hasArrived() {
    guard let admissions else { return }
    self.admissions = nil
    let held = ticket
    ticket = .none
    admissions.giveBack(held)
  }

  /// Declares what to interrupt from now on; nil once the wait is over.
  package func waits(on wait: (any Interruptible)?) { self.wait = wait }

  /// Waits for the app through `wait`, which an interruption ends; what the load waited on before stands again afterwards.
  package func beginAppWait(_ wait: any Interruptible) -> (any Interruptible)? {
    let previous = self.wait
    self.wait = wait
    appWaits += 1
    hasArrived()
    return previous
  }

  package func endAppWait(restoring previous: (any Interruptible)?) {
    wait = previous
    appWaits -= 1
    noteActivity()
    // The task may have been suspended and resumed meanwhile, and the connection have stopped reading.
    if !isSuspended { previous?.suspensionEnded() }
  }

  /// Waits for a disk through `wait`: as for the app, except that the load can time out meanwhile.
  package func beginDiskWait(_ wait: any Interruptible) -> (any Interruptible)? {
    let previous = self.wait
    self.wait = wait
    return previous
  }

  package func endDiskWait(restoring previous: (any Interruptible)?) {
    wait = previous
    noteActivity()
    if !isSuspended { previous?.suspensionEnded() }
  }

  /// The app is asked about the connection that this load waits for; the wait itself stays the pool's.
  func beginConnectionQuestion() { appWaits += 1 }

  func endConnectionQuestion() {
    appWaits -= 1
    noteActivity()
  }

  /// Ends the load: the first error stands, later ones are consequences of it.
  package func interrupt(_ error: LoadError) {
    eventLoop.assertInEventLoop()
    guard failure == nil else { return }
    failure = error
    let interrupted = wait
    wait = nil
    interrupted?.interrupt(error)
    releaseSuspended()
  }

  package func setSuspended(_ isSuspended: Bool) {
    eventLoop.assertInEventLoop()
    guard self.isSuspended != isSuspended else { return }
    self.isSuspended = isSuspended
    guard !isSuspended else { return hasArrived() }
    noteActivity()
    wait?.suspensionEnded()
    // The stream's reads go on, though the load itself may wait for room or for a response's body.
    if let stream, wait !== stream { stream.suspensionEnded() }
    releaseSuspended()
  }

  package func setPriority(_ priority: Float) {
    eventLoop.assertInEventLoop()
    guard self.priority != priority else { return }
    self.priority = priority
    wait?.priorityChanged()
  }

  /// Waits until the load isn't suspended, or has been interrupted.
  package func waitWhileSuspended() async throws(LoadError) {
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
    if let failure { throw failure }
  }

  /// Whether the load has stayed with the origin it began at; once left, credentials meant for that origin stay withheld.
  package func isAtFirstOrigin(_ origin: Origin) -> Bool {
    if origin != firstOrigin { hasLeftFirstOrigin = true }
    return !hasLeftFirstOrigin
  }

  /// The load goes on at `secured` as if it had begun there: the same server, reached by TLS.
  package func originMoved(from origin: Origin, to secured: Origin) {
    if firstOrigin == origin { firstOrigin = secured }
  }

  package func noteActivity() { lastActivity = clock.now }

  /// Closes the open transaction and begins one for `request`: a redirect or a retry.
  package func beginTransaction(_ request: LoadRequest) {
    finishedRecords.append(record)
    record = TransactionRecord(request: request)
    record.fetchStart = clock.now
  }

  /// Every transaction, the open one last.
  package var allRecords: [TransactionRecord] { finishedRecords + [record] }
}
