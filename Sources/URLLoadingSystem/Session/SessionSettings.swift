import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules

/// Translates a `URLSessionConfiguration` into the engine's `LoadSettings`. The environment is read here alone, once per session.
enum SessionSettings {
  static func make(_ configuration: URLSessionConfiguration) -> LoadSettings {
    var tls = TLSSettings(
      minimumVersion: configuration.tlsMinimumSupportedProtocolVersion.rawValue,
      maximumVersion: configuration.tlsMaximumSupportedProtocolVersion.rawValue)
    tls.additionalRoots = configuration.trustedRootsPEM
    let surroundings = configuration.tlsEnvironment ?? .ofProcess
    tls.trustStoreSource = surroundings.trust
    tls.keyLog = surroundings.keyLog
    tls.encryptedHello = configuration.encryptedClientHello.mode
    tls.transparencyLogs = configuration.effectiveTransparencyLogs?.logs
    tls.revocationLists = configuration.revocationLists?.lists
    var settings = LoadSettings(tls: tls, userAgent: userAgent)
    settings.maximumConnectionsPerHost = configuration.httpMaximumConnectionsPerHost
    settings.usesPipelining = configuration.httpShouldUsePipelining
    settings.requestTimeout = configuration.timeoutIntervalForRequest
    settings.resourceTimeout = configuration.timeoutIntervalForResource
    settings.additionalHeaders = headers(configuration.httpAdditionalHeaders)
    settings.preferredLanguages = Locale.preferredLanguages
    settings.clock = configuration.loadClock
    settings.cache = configuration.urlCache.map { URLCacheAccess($0) }
    settings.cachePolicy = configuration.requestCachePolicy.rawValue
    settings.cookies = cookies(configuration)
    settings.hsts = configuration.hstsStore
    settings.secureHosts = configuration.secureHosts?.list
    settings.alternatives = configuration.alternativeServiceStore
    settings.serviceBindings = configuration.serviceBindingResolver
    settings.retryPolicy = configuration.identifier == nil ? configuration.retryPolicy?.policy : nil
    settings.bodyLimits = configuration.identifier == nil ? configuration.bodyLimits : BodyLimits()
    if configuration.identifier == nil { NamePlan(configuration).apply(to: &settings) }
    settings.interceptor = configuration.identifier == nil ? InterceptedCall.interceptor(configuration.interceptors) : nil
    settings.enablesEarlyData = configuration.enablesEarlyData
    settings.proxies = ProxySettings(configuration)
    settings.versions = configuration.httpVersions
    settings.networkAccess = access(configuration)
    // Background sessions always wait, as Apple documents it.
    settings.waitsForConnectivity = configuration.waitsForConnectivity || configuration.identifier != nil
    settings.networkServiceType = configuration.networkServiceType.rawValue
    settings.requiresDNSSECValidation = configuration.requiresDNSSECValidation
    if configuration.multipathServiceType != .none { settings.sockets.paths = .several }
    if configuration.allowsFastOpen { settings.sockets.fastOpen = .handshakes }
    settings.connectionWatcher = configuration.connectionWatcher
    if let network = configuration.networkObserver { settings.network = network }
    if let security = configuration.appTransportSecurity?.policy { apply(security, to: &settings) }
    return settings
  }

  /// App Transport Security may allow an old TLS version for some hosts: the session offers the lowest of them, and each origin is held to its own
  /// minimum.
  private static func apply(_ security: TransportSecurityPolicy, to settings: inout LoadSettings) {
    let minimum = settings.tls.minimumVersion
    settings.transportSecurity = security
    settings.tls.minimumVersion = security.lowestVersion(sessionMinimum: minimum)
    settings.tlsPolicy = { security.tlsPolicy(for: $0.host, sessionMinimum: minimum) }
  }

  private static func access(_ configuration: URLSessionConfiguration) -> NetworkAccess {
    var access: NetworkAccess = []
    if configuration.allowsCellularAccess { access.insert(.cellular) }
    if configuration.allowsExpensiveNetworkAccess { access.insert(.expensive) }
    if configuration.allowsConstrainedNetworkAccess { access.insert(.constrained) }
    return access
  }

  /// The cookie settings. A subclass of `HTTPCookieStorage` is called through its public members; of the class itself, the engine uses the store
  /// directly.
  private static func cookies(_ configuration: URLSessionConfiguration) -> CookieSettings? {
    guard let storage = configuration.httpCookieStorage else { return nil }
    return CookieSettings(
      storage: type(of: storage) == HTTPCookieStorage.self ? .store(storage.store) : .app,
      sending: configuration.httpShouldSetCookies ? .stored : .appOnly,
      acceptance: configuration.httpCookieAcceptPolicy.acceptance)
  }

  /// The additional header fields sorted by name, so that each request sends them in the same order.
  static func headers(_ fields: [AnyHashable: Any]?) -> HeaderFields {
    var pairs: [(name: String, value: String)] = []
    for (name, value) in fields ?? [:] {
      guard let name = name.base as? String else { continue }
      pairs.append((name, value as? String ?? "\(value)"))
    }
    return HeaderFields(pairs.sorted { $0.name < $1.name })
  }
}
