/// The stages of every load, in lists, outermost first. Read this file first.
///
///     URLSessionTask.resume -> LoadDriver -> session stages -> a protocol handler
///       http(s): HTTP stages -> connection pool -> connection
///       ws(s): WebSocket stages -> the same, and once the connection has been switched, messages
///       ftp(s): FTP stages -> connections of the load's own
///       streams: stream stages -> a connection, and whatever the app sends on it
///       data, file: their own handlers;  anything else: the app's URLProtocol classes
///     and back up: response, then body, piece by piece, as fast as the app takes it.
///
/// A redirect can change the scheme and so the protocol: therefore its stage is above the choice of the protocol. Decoding concerns HTTP only.
enum LoadingPlan {
  /// The stages of a session's loads.
  static func lists(_ session: LoadSession) -> StageLists {
    let settings = session.settings
    let hasProxies = !settings.proxies.isEmpty
    let security = settings.transportSecurity.map {
      AppTransportSecurityStage(policy: $0, isLocal: settings.dialing.socketPath != nil)
    }
    let http: [(any Stage)?] = [
      security,  // refuses what App Transport Security forbids
      UploadResumptionStage(),  // resumes a broken upload where the server lets it
      settings.cookies.map(CookieStage.init),  // attaches stored cookies
      DecodingStage(limits: settings.bodyLimits),  // decodes the body's content codings
      settings.cache.map { CacheStage(session: session, cache: $0) },  // answers from the cache, and fills it
      PolicyStage(session: session),  // repeats the request after failures that may be temporary, by the app's retry policy
      AuthenticationStage(session: session),  // answers a 401, and adds the authorization that is known
      settings.cookies.map(SetCookieStage.init),  // stores the cookies that responses set, a 401 among them
      settings.hsts.map(HSTSRecordStage.init),  // notes hosts that ask for TLS (HSTS), in a 304 too
      settings.proxies.hasObliviousRelays ? ObliviousStage(session: session) : nil,  // sends it through a relay that doesn't see it
      hasProxies ? ProxyStage(session: session) : nil,  // chooses the proxy, and answers its 407
      hasProxies ? TunnelAnswerStage() : nil,  // makes a proxy's 407 to CONNECT a response for the stage above
      RetryStage(session: session),  // repeats the request after a dead or broken connection, or a refusal
      ExchangeStage(session: session),  // leases a connection and runs the exchange
    ]
    let outer: [(any Stage)?] = [
      SniffingStage(),  // finds the MIME type of a response that names none
      settings.interceptor.map(InterceptionStage.init),  // runs the app's interceptor around all stages below
      RedirectStage(),  // follows redirects, each with a new choice of protocol
      settings.hsts.map { HSTSUpgradeStage(hosts: $0, list: settings.secureHosts) },  // upgrades to https where the host wants it
      ProtocolStage(session: session),  // chooses the protocol: the app's classes, then http, data, file
    ]
    let webSocket: [(any Stage)?] = [
      security,
      settings.cookies.map(CookieStage.init),
      AuthenticationStage(session: session),
      settings.cookies.map(SetCookieStage.init),
      settings.hsts.map(HSTSRecordStage.init),
      hasProxies ? ProxyStage(session: session) : nil,
      hasProxies ? TunnelAnswerStage() : nil,
      RetryStage(session: session),
      ExchangeStage(session: session),
    ]
    let stream: [(any Stage)?] = [
      hasProxies ? ProxyStage(session: session) : nil,
      hasProxies ? TunnelAnswerStage() : nil,
      StreamStage(session: session),  // opens the connection
    ]
    let ftp: [(any Stage)?] = [
      hasProxies ? ProxyStage(session: session) : nil,
      hasProxies ? TunnelAnswerStage() : nil,
      FTPStage(session: session),  // logs in and transfers
    ]
    return StageLists(session: outer, http: http, webSocket: webSocket, stream: stream, ftp: ftp)
  }
}

extension LoadSession {
  /// A session whose loads go through the stages of `LoadingPlan`.
  package convenience init(_ settings: LoadSettings) {
    self.init(settings, plan: LoadingPlan.lists, run: { await LoadDriver(session: $0, load: $1).run($2) })
  }
}
