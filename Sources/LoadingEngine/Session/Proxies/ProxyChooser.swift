import HTTPTransport
import LoadingModel
import ProtocolRules

/// A session's proxies: chooses the route of a load. Confined to the session's event loop.
package final class ProxyChooser: @unchecked Sendable {
  // @unchecked: `state` and `unreachable` are confined to the session's event loop; the rest is immutable.
  private enum State {
    case known(ProxySettings, ProxyScripts?)
    /// The desktop's settings are to be read, or are being read.
    case unread(DesktopProxies, reading: Task<ProxySettings, Never>?)
  }

  private let settings: LoadSettings
  private let executor: LoopExecutor
  private let read: @Sendable (DesktopProxies) -> ProxySettings
  private var state: State
  private var unreachable = UnreachableProxies()

  /// - Parameter read: Reads a desktop's settings; may block.
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

  /// Whether no load needs to look here.
  var isEmpty: Bool { settings.proxies.isEmpty }

  /// The routes to try, in order. Throws if a proxy was asked for that can't be used.
  ///
  /// A load that wants a channel for bytes of its own (a stream) asks for an origin of the scheme `https`: each way is then direct or a
  /// tunnel, which `ProxyDialer` opens for a `Destination` with that route. `ProxyStage` answers a proxy's 407: such a
  /// channel shows what `RouteAttempt` holds, and has to answer a refusal itself.
  func routes(to origin: Origin, _ load: Load) async throws(LoadError) -> [Route] {
    // No proxy connects to a socket of this machine, and as with curl the socket comes first.
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

  /// What a load over one of several routes has shown of their proxies.
  func note(_ route: Route, isReachable: Bool, now: Instant) {
    guard let proxy = route.proxy else { return }
    if isReachable { unreachable.noteService(of: proxy) } else { unreachable.note(proxy, now: now) }
  }

  /// The session has ended.
  func end() {
    if case .known(_, let scripts) = state { scripts?.end() }
  }

  /// Whether loads have been served by this route.
  func hasServed(_ route: Route) -> Bool { route.proxy.map { unreachable.hasServed($0) } ?? true }

  /// The networks have changed, and the routes with them: what was learnt of proxies is old, and a desktop's settings may be others.
  func networksChanged() {
    unreachable.forgetPutOff()
    switch state {
    case .known(_, let scripts):
      if let desktop = settings.proxies.desktop { state = .unread(desktop, reading: nil) } else { scripts?.networksChanged() }
    case .unread(let desktop, _): state = .unread(desktop, reading: nil)
    }
  }

  /// Seconds after which a load may try its routes again, none of which was open; nil if it is to fail.
  func pause(for routes: [Route], pausesSoFar: Int) -> Double? {
    routes.compactMap { route in route.proxy.flatMap { unreachable.pause(for: $0, pausesSoFar: pausesSoFar) } }.min()
  }

  /// Whether a URL of FTP's is asked for by HTTP, of a proxy that speaks FTP itself.
  func forwardsFTP(to origin: Origin, _ context: LoadContext) async throws(LoadError) -> Bool {
    guard !isEmpty, settings.dialing.socketPath == nil, case .routes(let routes) = try await known(context).proxies.choice(for: origin),
      case .forward? = routes.first
    else { return false }
    return true
  }

  /// The settings; those of a desktop are read once, by the first load.
  private func known(_ context: LoadContext) async throws(LoadError) -> (proxies: ProxySettings, scripts: ProxyScripts?) {
    // Each turn but the last ends with a change of the networks.
    while true {
      switch state {
      case .known(let proxies, let scripts): return (proxies, scripts)
      case .unread(let desktop, let current):
        let reading = current ?? Task { [read] in await runBlocking { read(desktop) } }
        state = .unread(desktop, reading: reading)
        let proxies = try await AppWait<ProxySettings>.disk(context) { await reading.value }
        // What was read before the networks changed is old.
        if case .unread(_, reading) = state { state = ProxyChooser.known(proxies, settings, executor) }
      }
    }
  }
}
