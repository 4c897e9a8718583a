import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The engine behind one URL session: its event loop, connections, deadlines and loading plan.
///
/// A session uses one event loop, so that no lock is needed between its loads and their connections. Different sessions are spread over the
/// loops.
package final class LoadSession: @unchecked Sendable {
  // @unchecked: the `let`s are immutable (the types they refer to say how they are protected), and so is `plan`, which `init` sets before the
  // session is shared. All other variables are confined to the event loop; the methods that use them assert it.
  package let settings: LoadSettings
  /// A copy of `settings.usesPipelining`, which each exchange reads: through `settings`, the whole struct would be copied.
  let usesPipelining: Bool
  package let executor: LoopExecutor
  package let clock: any LoadClock
  package let pool: ConnectionPool
  package let headerDefaults: SessionHeaderDefaults
  /// The session's memory of accepted credentials; confined to the event loop, as the pool is.
  package let authentications = AuthenticationMemory()
  /// Counts the recent loads and repetitions, for retry policies of the app.
  var retryBudget = RetryBudget()
  package let proxies: ProxyChooser
  /// Finds alternatives (Alt-Svc, HTTPS records) for origins; confined to the event loop.
  package let alternatives: AlternativeFinder
  /// The origins that have answered a request of this session; confined to the event loop.
  private var answered = BoundedTable<Origin, Void>(limit: answeredLimit)
  /// Loads without a task that validate stale responses in the cache.
  package let revalidations = Revalidations()
  /// The stages of the session's loads, which `init` gets from its caller.
  package private(set) var plan = StageLists()
  private let workers: LoadWorkers
  private let admissions = AdmissionQueue()
  private let deadlines: LoadDeadlines
  @exclusivity(unchecked) private var networkWatch: NetworkObservation?
  /// The connections that apps have taken over as streams, referred to weakly.
  @exclusivity(unchecked) private var givenAway: [() -> (any PathBound)?] = []

  /// - Parameters:
  ///   - plan: Makes the lists of stages; they may refer to the session, but must not own it.
  ///   - run: Runs one load to its end.
  package init(
    _ settings: LoadSettings, plan: (LoadSession) -> StageLists, run: @escaping @Sendable (LoadSession, Load, LoadRequest) async -> Void
  ) {
    self.settings = settings
    usesPipelining = settings.usesPipelining
    let eventLoop = EventLoops.next()
    executor = LoopExecutor(eventLoop)
    workers = LoadWorkers(executor: executor, run: run)
    clock = settings.clock ?? SystemClock(eventLoop)
    deadlines = LoadDeadlines(eventLoop: eventLoop, clock: clock)
    pool = ConnectionPool(
      executor: executor, clock: clock, tls: settings.tls, maximumPerHost: settings.maximumConnectionsPerHost,
      tlsPolicy: settings.tlsPolicy, versions: settings.versions, sockets: settings.sockets,
      dialing: settings.dialing, opener: settings.alternativeOpener, watcher: settings.connectionWatcher)
    #if HTTP3
      if settings.alternativeOpener == nil, settings.dialing.socketPath == nil {
        pool.alternatives.opener = HTTP3Opener(
          executor: executor, clock: clock, sockets: settings.sockets, hosts: pool.dialer.hosts, tls: settings.tls,
          policy: settings.tlsPolicy, identities: pool.identities, sendsEarlyData: settings.enablesEarlyData)
      }
    #endif
    alternatives = AlternativeFinder(settings, eventLoop: eventLoop, clock: clock)
    proxies = ProxyChooser(settings, executor)
    headerDefaults = SessionHeaderDefaults(
      additional: settings.additionalHeaders, acceptEncoding: .available, userAgent: settings.userAgent,
      acceptLanguage: AcceptLanguageRules.value(for: settings.preferredLanguages))
    self.plan = plan(self)
    listenToAnnouncements()
    pool.alternatives.known = { [weak self] origin in self?.alternative(of: origin) }
    pool.moved = { [weak self] connection in self?.connectionMoved(connection) }
    pool.follow(alternatives)
  }

  deinit {
    let workers = workers
    executor.submit { workers.dismiss() }
  }

  /// The most origins that are remembered to have answered this session.
  private static let answeredLimit = 1000

  /// Notes that a server has answered over a new connection.
  func noteAnswer(of origin: Origin) {
    assert(executor.eventLoop.inEventLoop)
    answered.insert(origin)
  }

  /// Whether the server has answered this session before: if its connections break, it is probably restarting.
  func hasAnswered(_ origin: Origin) -> Bool { answered.contains(origin) }

  /// Makes the context of a load. The load's timeouts begin now.
  package func makeContext(_ request: LoadRequest) -> LoadContext {
    // A request that has the default timeout gets the session's; any other value was set by the app.
    let own = request.timeoutInterval
    let seconds = own == 60 || own.isNaN ? settings.requestTimeout : own
    let context = LoadContext(executor: executor, clock: clock, request: request, idleTimeout: seconds > 0 ? seconds : .infinity)
    let service = request.networkServiceType
    context.terms.traffic = TrafficClass(serviceType: service == 0 ? settings.networkServiceType : service)
    let whole = settings.resourceTimeout
    context.resourceDeadline = context.lastActivity.advanced(bySeconds: whole > 0 ? whole : .infinity)
    return context
  }

  /// The request's own retry policy, or else the session's; nil for none.
  func retryPolicy(for request: LoadRequest) -> RetryPolicy? { request.retryPolicy ?? settings.retryPolicy }

  /// The request's own limits; where those are nil, the session's.
  func bodyLimits(for request: LoadRequest) -> BodyLimits { settings.bodyLimits.of(request) }

  /// Starts the load. Its last call is its client's `didFinish`. From any thread; from then on the load is confined to the event loop.
  package func start(_ request: LoadRequest, _ load: Load) {
    load.prepare(request, by: self)
    // A closure that captures a single reference needs no allocation.
    executor.submit { load.begin() }
  }

  /// Lets a load wait in the admission queue, because too many others are on their way to a connection.
  private func wait(_ assignment: LoadWorkers.Assignment, for origin: Origin) {
    let context = assignment.load.context
    admit(context)
    let workers = workers
    admissions.wait(context, to: origin) {
      workers.begin(assignment)
    } refuse: { error in
      assignment.session.finish(assignment.load, LoadResult(response: nil, body: nil, error: error, context: context))
    }
  }

  /// Ends the load: everything that waits for its end is told, the client last.
  func finish(_ load: Load, _ result: LoadResult) {
    let context = load.context
    if context.record.responseEnd == nil, result.error == nil { context.record.responseEnd = context.clock.now }
    dismiss(context)
    switch load.kind {
    case .webSocket(let webSocket): webSocket.end(result.error)
    case .stream(let stream): stream.end(result.error)
    case .data, .upload: break
    }
    load.exchange = nil
    var result = result
    result.redirectCount = load.redirectCount
    load.client.didFinish(result)
    executor.loadEnded()
  }

  /// Runs `action` on the session's event loop, at once if that is the current thread.
  ///
  /// Otherwise it runs in order with the starts of loads: whatever a thread requests before it starts a load is done before the load begins.
  package func onLoop(_ action: @escaping @Sendable () -> Void) {
    if executor.eventLoop.inEventLoop { action() } else { executor.submit(action) }
  }

  /// Runs `action` on the session's event loop, after the work that runs there now, and in order with `onLoop` and the starts of loads.
  ///
  /// For requests of the app, whose code may run on the loop in the middle of a load's step, for instance when it observes a task.
  package func afterStep(_ action: @escaping @Sendable () -> Void) { executor.submit(action) }

  /// Ends the load with `error`, whatever it is doing. From any thread.
  package func interrupt(_ context: LoadContext, _ error: LoadError) {
    afterStep { context.interrupt(error) }
  }

  /// Suspends or resumes the load. From any thread.
  package func setSuspended(_ context: LoadContext, _ isSuspended: Bool) {
    onLoop { [self] in
      context.setSuspended(isSuspended)
      if !isSuspended { deadlines.moved(of: context) }
    }
  }

  /// Ends the session: closes idle connections, and ends loads that only fill the cache. On the event loop.
  package func end() {
    assert(executor.eventLoop.inEventLoop)
    revalidations.end()
    proxies.end()
    pool.drain()
    // Cancels the wake for the loads' deadlines, which would otherwise stay planned until the last timeout is over.
    if deadlines.isEmpty { deadlines.cancel() }
  }

  /// Begins to observe the networks, so that connections whose local address has vanished are closed. On the event loop.
  func watchNetworks() {
    assert(executor.eventLoop.inEventLoop)
    guard networkWatch == nil else { return }
    networkWatch = settings.network.observe { [weak self] news in
      guard let self else { return }
      executor.eventLoop.execute { [self] in
        guard case .addresses(let lost, let isLinkLocal) = news else { return pool.networkChanged() }
        pool.dialer.hosts.removeAll()
        if !isLinkLocal { proxies.networksChanged() }
        pool.vanished(lost)
        if !isLinkLocal { pool.networkChanged() }
        // The pool doesn't know the connections of FTP loads, and those that apps have taken over.
        for context in deadlines.loads { context.ownPath?.vanished(lost) }
        for connection in givenAway { connection()?.vanished(lost) }
      }
    }
  }

  /// Notes that an app has taken over the connection as a stream. On the event loop.
  package func gaveAway(_ connection: any PathBound) {
    assert(executor.eventLoop.inEventLoop)
    givenAway.removeAll { $0() == nil }
    givenAway.append { [weak connection] in connection }
  }

  // MARK: loads under way

  func admit(_ context: LoadContext) {
    assert(executor.eventLoop.inEventLoop)
    deadlines.add(context)
  }

  func dismiss(_ context: LoadContext) {
    assert(executor.eventLoop.inEventLoop)
    deadlines.remove(context)
    if deadlines.isEmpty, pool.isDraining { deadlines.cancel() }
    context.end()
  }
}

extension LoadSession: LoadBeginner {
  func begin(_ load: Load, _ request: LoadRequest) {
    executor.loadBegan()
    let assignment = LoadWorkers.Assignment(session: self, load: load, request: request)
    if retryPolicy(for: request) != nil { retryBudget.countLoad(clock.now) }
    if let origin = request.target?.origin {
      #if HTTP3
        if origin.isSecure { alternatives.prepare() }
      #endif
      if !admissions.admits(load.context, to: origin) { return wait(assignment, for: origin) }
    }
    workers.begin(assignment)
  }
}
