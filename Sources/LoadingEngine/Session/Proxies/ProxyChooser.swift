import HTTPTransport
import LoadingModel
import ProtocolRules

/// Chooses the routes of a session's loads by its proxy settings. Confined to the session's event loop.
package final class ProxyChooser: @unchecked Sendable {
  // @unchecked: `state` and `unreachable` are confined to the session's event loop; the rest is immutable.
  private enum State {
    case known(ProxySettings, ProxyScripts?)
    /// The desktop's settings haven't been read yet; `reading` is under way if it isn't nil.
    case unread(DesktopProxies, reading: Task<ProxySettings, Never>?)
  }

  private let settings: LoadSettings
  private let executor: LoopExecutor
  private let read: @Sendable (DesktopProxies) -> ProxySettings
  private var state: State
  private var unreachable = UnreachableProxies()

  /// - Parameter read: Reads a desktop's settings; called off the event loop, so that it may block.
  package init(
    _ settings: LoadSettings, _ executor: LoopExecutor, read: @escaping @Sendable (DesktopProxies) -> ProxySettings = { $0.read() }
  ) {
    self.settings = settings
    self.read = read
    self.executor = executor
    state =
      if let desktop = settings.proxies.desktop {
        .unread(desktop, reading: nil)
      } else {
        ProxyChooser.known(settings.proxies, settings, executor)
      }
  }

  private static func known(_ proxies: ProxySettings, _ settings: LoadSettings, _ executor: LoopExecutor) -> State {
    guard case .success(let script)? = proxies.script else { return .known(proxies, nil) }
    return .known(proxies, ProxyScripts(script, settings, executor))
  }

  /// Whether the session has no proxy settings, so that loads need not ask.
  var isEmpty: Bool { settings.proxies.isEmpty }

  /// The routes to try, in order. Throws if a proxy was asked for that can't be used.
  ///
  /// For a stream, call it with an origin of the scheme `https`: each route is then direct or a tunnel, which `ProxyDialer` opens for a
  /// `Destination` with that route. `ProxyStage` answers a proxy's 407 for loads; a stream sends what its `RouteAttempt` holds, and must answer a
  /// refusal itself.
  func routes(to origin: Origin, _ load: Load) async throws(LoadError) -> [Route] {
    // No proxy can connect to a Unix socket of this machine; as with curl, the socket takes precedence.
    if settings.dialing.socketPath(for: origin) != nil { return [.direct] }
    let context = load.context
    let (proxies, scripts) = try await known(context)
    let routes: [Route]
    switch (try proxies.choice(for: origin), scripts) {
    case (.routes(let known), _): routes = known
    case (.script, let scripts?):
      routes = try ProxyScriptAnswer.routes(try await scripts.answer(for: origin, load), to: origin)
    case (.script, nil): routes = [.direct]
    }
    return unreachable.ordered(routes, now: context.clock.now)
  }

  /// Notes whether the proxy of a route could be reached, as a load has found out.
  func note(_ route: Route, isReachable: Bool, now: Instant) {
    guard let proxy = route.proxy else { return }
    if isReachable { unreachable.noteService(of: proxy) } else { unreachable.note(proxy, now: now) }
  }

  /// Ends the look-ups of scripts, because the session has ended.
  func end() {
    if case .known(_, let scripts) = state { scripts?.end() }
  }

  /// Whether loads have been served over this route before; true for a direct one.
  func hasServed(_ route: Route) -> Bool { route.proxy.map { unreachable.hasServed($0) } ?? true }

  /// Forgets which proxies couldn't be reached, and has a desktop's settings read again: a change of the networks may change both.
  func networksChanged() {
    unreachable.forgetPutOff()
    switch state {
    case .known(_, let scripts):
      if let desktop = settings.proxies.desktop { state = .unread(desktop, reading: nil) } else { scripts?.networksChanged() }
    case .unread(let desktop, _): state = .unread(desktop, reading: nil)
    }
  }

  /// Seconds after which a load may try its routes again, all of which have failed; nil if the load is to fail.
  func pause(for routes: [Route], pausesSoFar: Int) -> Double? {
    routes.compactMap { route in route.proxy.flatMap { unreachable.pause(for: $0, pausesSoFar: pausesSoFar) } }.min()
  }

  /// Whether an FTP URL is requested over HTTP, from a proxy that then speaks FTP itself.
  func forwardsFTP(to origin: Origin, _ context: LoadContext) async throws(LoadError) -> Bool {
    guard !isEmpty, settings.dialing.socketPath == nil, case .routes(let routes) = try await known(context).proxies.choice(for: origin),
      case .forward? = routes.first
    else { return false }
    return true
  }

  /// The proxy settings, and the script if there is one. A desktop's settings are read once, by the first load.
  private func known(_ context: LoadContext) async throws(LoadError) -> (proxies: ProxySettings, scripts: ProxyScripts?) {
    // A further turn is needed only if the networks have changed while the settings were read.
    while true {
      switch state {
      case .known(let proxies, let scripts): return (proxies, scripts)
      case .unread(let desktop, let current):
        let reading = current ?? Task { [read] in await runBlocking { read(desktop) } }
        state = .unread(desktop, reading: reading)
        let proxies = try await AppWait<ProxySettings>.disk(context) { await reading.value }
        // Settings that were read before the networks changed aren't used.
        if case .unread(_, reading) = state { state = ProxyChooser.known(proxies, settings, executor) }
      }
    }
  }
}
