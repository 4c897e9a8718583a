import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules
import Stores

#if Logging
  import Logging
#endif
#if Metrics
  import CoreMetrics
#endif
#if Tracing
  import Tracing
#endif

/// The stored properties of a `URLSessionConfiguration`. A copy is an independent configuration; the storages in it are shared objects.
struct ConfigurationValues: @unchecked Sendable {
  // @unchecked: a value whose members are Sendable but for `protocolClasses`, which holds metatypes, and the two dictionaries, which hold
  // property-list values by contract.
  var identifier: String?
  var requestCachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy
  var timeoutIntervalForRequest: TimeInterval = 60
  var timeoutIntervalForResource: TimeInterval = 7 * 24 * 60 * 60
  var networkServiceType = NSURLRequest.NetworkServiceType.default
  var allowsCellularAccess = true
  var allowsExpensiveNetworkAccess = true
  var allowsConstrainedNetworkAccess = true
  var allowsUltraConstrainedNetworkAccess = false
  var requiresDNSSECValidation = false
  var waitsForConnectivity = false
  var isDiscretionary = false
  var sharedContainerIdentifier: String?
  var sessionSendsLaunchEvents = true
  var connectionProxyDictionary: [AnyHashable: Any]?
  var proxyConfigurations: [ProxyConfiguration] = []
  var tlsMinimumSupportedProtocolVersion = tls_protocol_version_t.TLSv12
  var tlsMaximumSupportedProtocolVersion = tls_protocol_version_t.TLSv13
  var httpShouldUsePipelining = false
  var httpShouldSetCookies = true
  var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain
  var httpAdditionalHeaders: [AnyHashable: Any]?
  var httpMaximumConnectionsPerHost = 6
  var httpCookieStorage: HTTPCookieStorage?
  var urlCredentialStorage: URLCredentialStorage?
  var urlCache: URLCache?
  var shouldUseExtendedBackgroundIdleMode = false
  var protocolClasses: [AnyClass]? = BuiltInProtocols.classes
  var multipathServiceType = URLSessionConfiguration.MultipathServiceType.none
  var usesClassicLoadingMode = true
  var enablesEarlyData = false
  var retryPolicy: URLSessionRetryPolicy?
  var bodyLimits = BodyLimits()
  var nameResolution = URLSessionNameResolution.system
  var encryptedClientHello = URLSessionConfiguration.EncryptedClientHello.automatic
  var unixSocketPath: String?
  var interceptors: [any URLSessionInterceptor] = []
  var allowsFastOpen = false
  var reportsAsyncDownloads = false
  var networkObserver: (any NetworkObserver)?
  var connectionWatcher: (any ConnectionWatcher)?
  var makeLoadObserver: (@Sendable (URLSessionTask) -> any LoadObserver)?
  var webSocketCompression = URLSessionConfiguration.WebSocketCompression.none
  var loadClock: (any LoadClock)?
  var downloadFolder: URL?
  var transferJournal: (any TransferJournal)?
  var backgroundLaunch: URLSessionBackgroundLaunch?
  var trustedRootsPEM: [Data] = []
  var tlsEnvironment: TLSEnvironment?
  var hstsStore: HSTSStore?
  var secureHosts: URLSessionSecureHosts?
  var certificateTransparencyLogs: URLSessionCertificateTransparencyLogs?
  var revocationLists: URLSessionRevocationLists?
  var alternativeServiceStore: AlternativeServiceStore?
  var serviceBindingResolver: (any ServiceBindingResolver)? = ConfigurationValues.systemServiceBindings
  var proxySettings: ProxySettings?
  var httpVersions = HTTPVersions.all
  var transportSecurity = TransportSecurityChoice.ofProcess
  var showsQueriesOfObservedURLs = false
  var transferRecording: (any TransferRecording)?
  #if Logging
    var logger: Logger?
  #endif
  #if Metrics
    var metricsFactory: (any MetricsFactory)?
  #endif
  #if Tracing
    var tracer: (any Tracer)?
  #endif

  /// Which App Transport Security settings apply to a session: the process's, or its configuration's own (nil: none).
  enum TransportSecurityChoice {
    case ofProcess
    case own(URLSessionAppTransportSecurity?)
  }

  /// The resolver that asks the system's name servers for HTTPS records, by which HTTP/3 is discovered; nil in builds without HTTP/3.
  private static var systemServiceBindings: (any ServiceBindingResolver)? {
    #if HTTP3
      SystemServiceBindings()
    #else
      nil
    #endif
  }

  /// The settings of `URLSessionConfiguration.default`: the process's shared storages.
  static func shared() -> ConfigurationValues {
    var values = ConfigurationValues()
    values.httpCookieStorage = .shared
    values.urlCredentialStorage = .shared
    values.urlCache = .shared
    values.hstsStore = .shared
    #if HTTP3
      values.alternativeServiceStore = .shared
    #endif
    return values
  }

  /// The settings of `URLSessionConfiguration.ephemeral`: storages of its own that never reach a disk.
  static func ephemeral() -> ConfigurationValues {
    var values = ConfigurationValues()
    let cookies = HTTPCookieStorage()
    cookies.cookieAcceptPolicy = .onlyFromMainDocumentDomain
    values.httpCookieStorage = cookies
    values.urlCredentialStorage = URLCredentialStorage()
    values.urlCache = URLCache(memoryOnly: URLCache.defaultMemoryCapacity)
    values.hstsStore = HSTSStore()
    return values
  }

  /// The settings of a background configuration: as the default, but without a cache.
  static func background(identifier: String) -> ConfigurationValues {
    var values = shared()
    values.identifier = identifier
    values.urlCache = nil
    return values
  }
}

extension Mutex where Value == ConfigurationValues {
  /// Changes the values. An object that leaves them is released after the lock, because its deinit may be the app's code.
  func change(_ body: (inout ConfigurationValues) -> Void) {
    let past = withLock { values in
      let past = values
      body(&values)
      return past
    }
    withExtendedLifetime(past) {}
  }
}
