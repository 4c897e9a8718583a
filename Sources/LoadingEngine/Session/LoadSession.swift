import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The engine behind one URL session: its event loop, connections, deadlines and loading plan.
///
/// A session lives on one event loop: no lock stands between its loads and their connections. Different sessions spread over the loops.
package final class LoadSession: @unchecked Sendable {
  // @unchecked: the `let`s are immutable (what they refer to says for itself what protects it), and so is `plan`, which `init` sets before
  // the session is shared. All other variables are confined to the event loop; the methods that use them assert it.
  package let settings: LoadSettings
  /// `settings.usesPipelining`, which each exchange asks for: read through `settings`, all of them are copied.
  let usesPipelining: Bool
  package let executor: LoopExecutor
  package let clock: any LoadClock
  package let pool: ConnectionPool
  package let headerDefaults: SessionHeaderDefaults
  /// Confined to the event loop, as the pool is.
  package let authentications = AuthenticationMemory()
  /// How many loads and repetitions there were of late, where an app's policy asks for repetitions.
  var retryBudget = RetryBudget()
  package let proxies: ProxyChooser
  /// Where else origins are served; confined to the event loop.
  package let alternatives: AlternativeFinder
  /// Origins that have answered a request; confined to the event loop.
  private var answered = BoundedTable<Origin, Void>(limit: answeredLimit)
  /// Loads without a task that refresh the cache.
  package let revalidations = Revalidations()
  /// The stages of its loads, handed in by the one who makes the session.
  package private(set) var plan = StageLists()
  private let workers: LoadWorkers
  private let admissions = AdmissionQueue()
  private let deadlines: LoadDeadlines
  @exclusivity(unchecked) private var networkWatch: NetworkObservation?
  /// Connections that apps have taken, as long as they live.
  @exclusivity(unchecked) private var givenAway: [() -> (any PathBound)?] = []

  /// - Parameters:
  ///   - plan: Makes the lists of stages, which may refer to the session without owning it.
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
    pool.follow(alternatives)
  }

  deinit {
    let workers = workers
    executor.submit { workers.dismiss() }
  }

  /// Origins that are remembered to have answered.
  private static let answeredLimit = 1000

  /// A server has answered over a new connection.
  func noteAnswer(of origin: Origin) {
    assert(executor.eventLoop.inEventLoop)
    answered.insert(origin)
  }

  /// Whether a server has answered this session: what breaks then may be repaired soon.
  func hasAnswered(_ origin: Origin) -> Bool { answered.contains(origin) }

  /// A load's context. Its clock starts now.
  package func makeContext(_ request: LoadRequest) -> LoadContext {
    // A request that keeps the default takes the session's timeout; any other value is the app's own choice.
    let own = request.fields.timeoutInterval
    let seconds = own == 60 || own.isNaN ? settings.requestTimeout : own
    let context = LoadContext(executor: executor, clock: clock, request: request, idleTimeout: seconds > 0 ? seconds : .infinity)
    let service = request.networkServiceType
    context.terms.traffic = TrafficClass(serviceType: service == 0 ? settings.networkServiceType : service)
    let whole = settings.resourceTimeout
    context.resourceDeadline = context.lastActivity.advanced(bySeconds: whole > 0 ? whole : .infinity)
    return context
  }

  /// The request's policy, or else the session's.
  func retryPolicy(for request: LoadRequest) -> RetryPolicy? { request.retryPolicy ?? settings.retryPolicy }

  /// The request's limits, and the session's where it says nothing.
  func bodyLimits(for request: LoadRequest) -> BodyLimits { settings.bodyLimits.of(request) }

  /// Starts the load; `didFinish` of its client is its last act. From any thread: the load is the event loop's from then on.
  package func start(_ request: LoadRequest, _ load: Load) {
    load.prepare(request, by: self)
    // Of one reference, a closure needs no memory of its own.
    executor.submit { load.begin() }
  }

  /// So many loads are on their way that this one begins later.
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

  /// The load's end: what waits for it hears of it, the client last.
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
  /// In one line with the starts of loads: what a thread asks for before it starts a load is done before the load begins.
  package func onLoop(_ action: @escaping @Sendable () -> Void) {
    if executor.eventLoop.inEventLoop { action() } else { executor.submit(action) }
  }

  /// Runs `action` on the session's event loop, after what that does now; in one line with `onLoop` and the starts of loads.
  ///
  /// For what the app asks for: its code runs on the loop, in the middle of a load's step, where it observes a task.
  package func afterStep(_ action: @escaping @Sendable () -> Void) { executor.submit(action) }

  /// Ends the load with `error`, whatever it is doing. From any thread.
  package func interrupt(_ context: LoadContext, _ error: LoadError) {
    afterStep { context.interrupt(error) }
  }

  /// From any thread.
  package func setSuspended(_ context: LoadContext, _ isSuspended: Bool) {
    onLoop { [self] in
      context.setSuspended(isSuspended)
      if !isSuspended { deadlines.moved(of: context) }
    }
  }

  /// The URL session is over: lets go of connections and of loads that serve the cache alone. On the event loop.
  package func end() {
    assert(executor.eventLoop.inEventLoop)
    revalidations.end()
    proxies.end()
    pool.drain()
    // Without it, what was planned would stay until the last timeout is over.
    if deadlines.isEmpty { deadlines.cancel() }
  }

  /// From now on connections over addresses that have vanished are given up. On the event loop.
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
        // The pool knows nothing of them.
        for context in deadlines.loads { context.ownPath?.vanished(lost) }
        for connection in givenAway { connection()?.vanished(lost) }
      }
    }
  }

  /// An app has taken the connection out of the session's hands. On the event loop.
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
