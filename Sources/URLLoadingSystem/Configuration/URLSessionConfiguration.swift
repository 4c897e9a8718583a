import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules
import Stores

/// The settings of a `URLSession`.
///
/// A session copies its configuration when it is made; changing the object afterwards changes nothing in the session, as Apple
/// documents. Every member may be used from any thread.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
  // @unchecked: the one stored property is a mutex; subclasses answer for what they add.
  let values: Mutex<ConfigurationValues>

  init(values: ConfigurationValues) {
    self.values = Mutex(values)
    super.init()
  }

  /// A configuration with the settings of `default`.
  @available(*, deprecated, message: "Use URLSessionConfiguration.default or URLSessionConfiguration.ephemeral.")
  public override init() {
    values = Mutex(.shared())
    super.init()
  }

  /// A new configuration that keeps cookies, credentials and responses in the process's shared storages.
  open class var `default`: URLSessionConfiguration { URLSessionConfiguration(values: .shared()) }

  /// A new configuration whose cookies, credentials and responses live in memory and end with its sessions.
  open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration(values: .ephemeral()) }

  /// A new configuration for transfers that continue without the app.
  ///
  /// A daemon, `urlsessiond`, carries the uploads and downloads of such a session; where its executable isn't found, the session is
  /// invalidated with `URLError.backgroundSessionWasDisconnected`.
  ///
  /// - Parameter identifier: A non-empty name, unique within the app.
  open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    URLSessionConfiguration(values: .background(identifier: identifier))
  }

  /// The older name of `background(withIdentifier:)`.
  @available(*, deprecated, renamed: "background(withIdentifier:)")
  open class func backgroundSessionConfiguration(_ identifier: String) -> URLSessionConfiguration {
    background(withIdentifier: identifier)
  }

  /// An independent configuration with the same settings. It shares the storages, as Apple's does.
  open func copy(with zone: NSZone? = nil) -> Any { snapshot() }

  /// A copy of the settings for a session to keep, which later changes of this object don't affect.
  package func snapshot() -> URLSessionConfiguration { URLSessionConfiguration(values: values.withLock { $0 }) }

  /// Watches the machine's networks for the session; nil for the system's observer.
  package var networkObserver: (any NetworkObserver)? {
    get { values.withLock { $0.networkObserver } }
    set { values.change { $0.networkObserver = newValue } }
  }

  /// The clock of the session's loads, such as of their deadlines; nil for the system's. For tests.
  package var loadClock: (any LoadClock)? {
    get { values.withLock { $0.loadClock } }
    set { values.change { $0.loadClock = newValue } }
  }

  /// The folder in which download tasks write; nil for the temporary folder. For tests.
  package var downloadFolder: URL? {
    get { values.withLock { $0.downloadFolder } }
    set { values.change { $0.downloadFolder = newValue } }
  }

  /// Certificate authorities, in PEM, that servers may chain to besides the system's.
  package var trustedRootsPEM: [Data] {
    get { values.withLock { $0.trustedRootsPEM } }
    set { values.change { $0.trustedRootsPEM = newValue } }
  }

  /// The TLS settings of an environment, used instead of this process's: the daemon's sessions have those of their apps. nil for this process's.
  package var tlsEnvironment: TLSEnvironment? {
    get { values.withLock { $0.tlsEnvironment } }
    set { values.change { $0.tlsEnvironment = newValue } }
  }

  /// Proxies in the engine's terms, which override those of the public properties and the environment; nil for these.
  package var proxySettings: ProxySettings? {
    get { values.withLock { $0.proxySettings } }
    set { values.change { $0.proxySettings = newValue } }
  }

  /// The versions of HTTP that the session uses.
  package var httpVersions: HTTPVersions {
    get { values.withLock { $0.httpVersions } }
    set { values.change { $0.httpVersions = newValue } }
  }

  /// The store of the hosts that have asked for TLS (HSTS, RFC 6797).
  package var hstsStore: HSTSStore? {
    get { values.withLock { $0.hstsStore } }
    set { values.change { $0.hstsStore = newValue } }
  }

  /// The store of alternative services of origins (Alt-Svc, RFC 7838), such as HTTP/3; nil: the session remembers them in its own memory.
  package var alternativeServiceStore: AlternativeServiceStore? {
    get { values.withLock { $0.alternativeServiceStore } }
    set { values.change { $0.alternativeServiceStore = newValue } }
  }

  /// The resolver that is asked for HTTPS records of the DNS (RFC 9460); nil: none is.
  package var serviceBindingResolver: (any ServiceBindingResolver)? {
    get { values.withLock { $0.serviceBindingResolver } }
    set { values.change { $0.serviceBindingResolver = newValue } }
  }

  /// The App Transport Security settings of the session; nil: none are in force. Default: ``URLSessionAppTransportSecurity/current`` at the time the
  /// session is made.
  ///
  /// An addition: Apple's platforms know one setting for the whole app.
  public final var appTransportSecurity: URLSessionAppTransportSecurity? {
    get {
      switch values.withLock({ $0.transportSecurity }) {
      case .ofProcess: URLSessionAppTransportSecurity.current
      case .own(let settings): settings
      }
    }
    set { values.change { $0.transportSecurity = .own(newValue) } }
  }

  /// Whether the first bytes to a server may be sent with the first packet (TCP Fast Open, RFC 7413). Default: false.
  ///
  /// Used for TLS handshakes alone, as replaying their first bytes does no harm, and only with servers that have agreed to it on an earlier
  /// connection. It saves a round trip; some networks drop such packets, and it takes longer to notice that a server is down.
  ///
  /// An addition: Apple has this for connections of the Network framework (`allowFastOpen`).
  public final var allowsFastOpen: Bool {
    get { values.withLock { $0.allowsFastOpen } }
    set { values.change { $0.allowsFastOpen = newValue } }
  }

  /// The identifier of a background session; nil for other configurations.
  open var identifier: String? { values.withLock { $0.identifier } }

  /// How requests whose own policy is `.useProtocolCachePolicy` use the cache. Default: `.useProtocolCachePolicy`.
  open var requestCachePolicy: NSURLRequest.CachePolicy {
    get { values.withLock { $0.requestCachePolicy } }
    set { values.change { $0.requestCachePolicy = newValue } }
  }

  /// Seconds without any data moving after which a load fails with `URLError.timedOut`. Default: 60.
  ///
  /// A request with a `timeoutInterval` of its own overrules it. Infinity, NaN, zero and less mean no limit.
  open var timeoutIntervalForRequest: TimeInterval {
    get { values.withLock { $0.timeoutIntervalForRequest } }
    set { values.change { $0.timeoutIntervalForRequest = newValue } }
  }

  /// Seconds within which a whole load must end. Default: 604 800, seven days. Infinity, NaN, zero and less mean no limit.
  open var timeoutIntervalForResource: TimeInterval {
    get { values.withLock { $0.timeoutIntervalForResource } }
    set { values.change { $0.timeoutIntervalForResource = newValue } }
  }

  /// The kind of traffic, for requests that don't name one: it sets how packets ask networks to treat them (differentiated services, RFC 4594). A
  /// hint without effect on the result. Default: `.default`.
  ///
  /// Loads of different types don't share connections.
  open var networkServiceType: NSURLRequest.NetworkServiceType {
    get { values.withLock { $0.networkServiceType } }
    set { values.change { $0.networkServiceType = newValue } }
  }

  /// Whether loads may use a cellular network. A request can't widen it. Default: true.
  open var allowsCellularAccess: Bool {
    get { values.withLock { $0.allowsCellularAccess } }
    set { values.change { $0.allowsCellularAccess = newValue } }
  }

  /// Whether loads may use a network that the system calls expensive. Default: true.
  open var allowsExpensiveNetworkAccess: Bool {
    get { values.withLock { $0.allowsExpensiveNetworkAccess } }
    set { values.change { $0.allowsExpensiveNetworkAccess = newValue } }
  }

  /// Whether loads may use a network in low data mode. Default: true.
  open var allowsConstrainedNetworkAccess: Bool {
    get { values.withLock { $0.allowsConstrainedNetworkAccess } }
    set { values.change { $0.allowsConstrainedNetworkAccess = newValue } }
  }

  /// Whether loads may use an ultra-constrained network, such as a satellite link. Default: false.
  open var allowsUltraConstrainedNetworkAccess: Bool {
    get { values.withLock { $0.allowsUltraConstrainedNetworkAccess } }
    set { values.change { $0.allowsUltraConstrainedNetworkAccess = newValue } }
  }

  /// Whether the addresses of hosts must be validated by DNSSEC. Default: false.
  ///
  /// The system's resolver can't validate them: loads whose host it would have to look up fail with `URLError.dnsLookupFailed`. DNS over HTTPS can,
  /// with `trustsDNSSEC` (``nameResolution``).
  open var requiresDNSSECValidation: Bool {
    get { values.withLock { $0.requiresDNSSECValidation } }
    set { values.change { $0.requiresDNSSECValidation = newValue } }
  }

  /// Whether a load waits for a usable network when it can't connect at first. Default: false.
  ///
  /// It matters only until a connection is made; one that breaks later fails with `URLError.networkConnectionLost`.
  open var waitsForConnectivity: Bool {
    get { values.withLock { $0.waitsForConnectivity } }
    set { values.change { $0.waitsForConnectivity = newValue } }
  }

  /// Whether the system may choose when transfers run. Background sessions only. Default: false.
  open var isDiscretionary: Bool {
    get { values.withLock { $0.isDiscretionary } }
    set { values.change { $0.isDiscretionary = newValue } }
  }

  /// The container into which a background session of an app extension puts its files. Default: nil.
  open var sharedContainerIdentifier: String? {
    get { values.withLock { $0.sharedContainerIdentifier } }
    set { values.change { $0.sharedContainerIdentifier = newValue } }
  }

  /// Whether the app is launched when a background session needs it. Background sessions only. Default: true.
  open var sessionSendsLaunchEvents: Bool {
    get { values.withLock { $0.sessionSendsLaunchEvents } }
    set { values.change { $0.sessionSendsLaunchEvents = newValue } }
  }

  /// Proxies by the keys `kCFNetworkProxies…`. nil, the default, means the system's; an empty dictionary means none.
  open var connectionProxyDictionary: [AnyHashable: Any]? {
    get { values.withLock { $0.connectionProxyDictionary } }
    set { values.change { $0.connectionProxyDictionary = newValue } }
  }

  /// The proxies and relays to try, in order. Empty, the default, means the system's settings.
  ///
  /// Entries here take precedence over `connectionProxyDictionary`.
  public final var proxyConfigurations: [ProxyConfiguration] {
    get { values.withLock { $0.proxyConfigurations } }
    set { values.change { $0.proxyConfigurations = newValue } }
  }

  /// The oldest TLS version to accept, in Secure Transport's numbering.
  @available(*, deprecated, message: "Use tlsMinimumSupportedProtocolVersion.")
  open var tlsMinimumSupportedProtocol: SSLProtocol {
    get { SSLProtocol(tlsMinimumSupportedProtocolVersion) }
    set { tlsMinimumSupportedProtocolVersion = newValue.asMinimum }
  }

  /// The newest TLS version to offer, in Secure Transport's numbering.
  @available(*, deprecated, message: "Use tlsMaximumSupportedProtocolVersion.")
  open var tlsMaximumSupportedProtocol: SSLProtocol {
    get { SSLProtocol(tlsMaximumSupportedProtocolVersion) }
    set { tlsMaximumSupportedProtocolVersion = newValue.asMaximum }
  }

  /// The oldest TLS version to accept. Default: TLS 1.2.
  open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
    get { values.withLock { $0.tlsMinimumSupportedProtocolVersion } }
    set { values.change { $0.tlsMinimumSupportedProtocolVersion = newValue } }
  }

  /// The newest TLS version to offer. Default: TLS 1.3.
  open var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
    get { values.withLock { $0.tlsMaximumSupportedProtocolVersion } }
    set { values.change { $0.tlsMaximumSupportedProtocolVersion = newValue } }
  }

  /// Whether safe requests without a body may be sent on a connection of HTTP/1.1 before earlier ones are answered. Default: false.
  ///
  /// A request is pipelined if no connection is free, no more may be opened, and the server has shown that it can handle it; up to four at a time.
  /// Requests that a connection leaves unanswered are sent again. Deprecated by Apple, whose systems prefer HTTP/2, as this one does if the server
  /// speaks it.
  open var httpShouldUsePipelining: Bool {
    get { values.withLock { $0.httpShouldUsePipelining } }
    set { values.change { $0.httpShouldUsePipelining = newValue } }
  }

  /// Whether stored cookies are attached to requests. Default: true.
  open var httpShouldSetCookies: Bool {
    get { values.withLock { $0.httpShouldSetCookies } }
    set { values.change { $0.httpShouldSetCookies = newValue } }
  }

  /// Which cookies from responses are stored; overrides the storage's own policy. Default: `.onlyFromMainDocumentDomain`.
  open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
    get { values.withLock { $0.httpCookieAcceptPolicy } }
    set { values.change { $0.httpCookieAcceptPolicy = newValue } }
  }

  /// Header fields for every request that doesn't set them itself. Keys and values are strings. Default: nil.
  ///
  /// The loader owns `Authorization`, `Connection`, `Content-Length`, `Host`, `Proxy-Authenticate`, `Proxy-Authorization` and
  /// `WWW-Authenticate`: values given here for these may be replaced or dropped.
  open var httpAdditionalHeaders: [AnyHashable: Any]? {
    get { values.withLock { $0.httpAdditionalHeaders } }
    set { values.change { $0.httpAdditionalHeaders = newValue } }
  }

  /// How many connections to one host this session may have at a time. It matters for HTTP/1.1. Less than 1 counts as 1. Default: 6.
  open var httpMaximumConnectionsPerHost: Int {
    get { values.withLock { $0.httpMaximumConnectionsPerHost } }
    set { values.change { $0.httpMaximumConnectionsPerHost = newValue } }
  }

  /// The storage for cookies; nil keeps none. Default: the shared storage, or a private one for an ephemeral configuration.
  open var httpCookieStorage: HTTPCookieStorage? {
    get { values.withLock { $0.httpCookieStorage } }
    set { values.change { $0.httpCookieStorage = newValue } }
  }

  /// The storage in which credentials are looked up; nil for none. Default: the shared storage, or a private one for an ephemeral configuration.
  open var urlCredentialStorage: URLCredentialStorage? {
    get { values.withLock { $0.urlCredentialStorage } }
    set { values.change { $0.urlCredentialStorage = newValue } }
  }

  /// The cache for responses; nil stores none.
  ///
  /// Default: the shared cache, a private one for an ephemeral configuration, nil for a background configuration.
  open var urlCache: URLCache? {
    get { values.withLock { $0.urlCache } }
    set { values.change { $0.urlCache = newValue } }
  }

  /// Whether connections stay open while the app is in the background. Default: false.
  @available(*, deprecated, message: "It has no effect any more.")
  open var shouldUseExtendedBackgroundIdleMode: Bool {
    get { values.withLock { $0.shouldUseExtendedBackgroundIdleMode } }
    set { values.change { $0.shouldUseExtendedBackgroundIdleMode = newValue } }
  }

  /// The `URLProtocol` subclasses that are asked, first to last, whether they handle a request. Default: the built-in ones.
  ///
  /// Classes put in front of the built-in ones intercept their schemes. Ignored by background sessions.
  open var protocolClasses: [AnyClass]? {
    get { values.withLock { $0.protocolClasses } }
    set { values.change { $0.protocolClasses = newValue } }
  }

  /// Whether connections may take several networks (Multipath TCP, RFC 8684). Default: `.none`.
  ///
  /// Any value but `.none` makes TCP connections with it, if the kernel supports it; a server that doesn't gets a plain connection. Which networks
  /// are used, and when, is decided by the system (`ip mptcp`), not by the app: the other values have the same effect.
  open var multipathServiceType: URLSessionConfiguration.MultipathServiceType {
    get { values.withLock { $0.multipathServiceType } }
    set { values.change { $0.multipathServiceType = newValue } }
  }

  /// Whether Apple's older loader is to be used. Kept, without effect: there is one loader. Default: true.
  open var usesClassicLoadingMode: Bool {
    get { values.withLock { $0.usesClassicLoadingMode } }
    set { values.change { $0.usesClassicLoadingMode = newValue } }
  }

  /// Whether safe requests may travel in the first flight of a resumed QUIC connection (0-RTT), where an attacker could replay them. Default:
  /// false. Without effect in a build without the package trait `HTTP3`.
  open var enablesEarlyData: Bool {
    get { values.withLock { $0.enablesEarlyData } }
    set { values.change { $0.enablesEarlyData = newValue } }
  }
}
