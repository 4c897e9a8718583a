import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// The settings of a URL session's configuration, in the engine's terms. Durations are in seconds.
package struct LoadSettings: Sendable {
  package var tls: TLSSettings
  /// The TLS requirements of single origins in addition to `tls`; nil if there are none.
  package var tlsPolicy: TLSPolicyRule?
  package var maximumConnectionsPerHost = 6
  package var versions = HTTPVersions.all
  /// Whether safe requests may be sent on an HTTP/1.1 connection before the responses to earlier ones (pipelining).
  package var usesPipelining = false
  package var requestTimeout = 60.0
  package var resourceTimeout = 604_800.0
  package var additionalHeaders = HeaderFields()
  package var userAgent: String
  package var preferredLanguages: [String] = []
  /// A clock for tests; nil for the system's.
  package var clock: (any LoadClock)?
  /// How cookies are handled; nil: none are stored or sent.
  package var cookies: CookieSettings?
  /// The store of hosts that have asked for TLS by HSTS (RFC 6797); nil: none are remembered.
  package var hsts: HSTSStore?
  /// A preload list of hosts that count as if they had asked for TLS; nil for none.
  package var secureHosts: SecureHostList?
  /// The store of alternatives that origins have advertised (RFC 7838); nil: the session has one of its own, in memory.
  package var alternatives: AlternativeServiceStore?
  /// Looks up HTTPS records (RFC 9460); nil: the DNS isn't asked for them.
  package var serviceBindings: (any ServiceBindingResolver)?
  /// Whether safe requests may be sent before the handshake of a resumed QUIC connection is over (0-RTT).
  package var enablesEarlyData = false
  /// The policy of App Transport Security; nil if it isn't in force.
  package var transportSecurity: TransportSecurityPolicy?
  /// The proxies that loads use.
  package var proxies = ProxySettings()
  /// The cache; nil if the session has none.
  package var cache: (any CacheAccess)?
  /// The raw value of `NSURLRequest.CachePolicy` for requests that keep the default.
  package var cachePolicy: UInt = 0

  /// The kinds of network that loads may use, unless their requests say otherwise.
  package var networkAccess = NetworkAccess.all
  /// Whether a load waits for a network if there is none that it may use.
  package var waitsForConnectivity = false
  /// The raw value of `NSURLRequest.NetworkServiceType` for requests that keep the default.
  package var networkServiceType: UInt = 0
  package var requiresDNSSECValidation = false
  package var sockets = SocketSettings()
  /// Where connections lead, and how names are looked up.
  package var dialing = DialPlan()
  /// When requests are repeated after failures that may be temporary; nil: never.
  package var retryPolicy: RetryPolicy?
  package var bodyLimits = BodyLimits()
  /// The app's code that runs around each load; nil if there is none.
  package var interceptor: Interceptor?
  /// Opens HTTP/3 connections in tests; nil for the real transport.
  package var alternativeOpener: (any AlternativeOpener)?
  package var network: any NetworkObserver = SystemNetwork.shared
  /// Is told of each step of the session's connections; nil if nothing observes them.
  package var connectionWatcher: (any ConnectionWatcher)?

  package init(tls: TLSSettings, userAgent: String) {
    self.tls = tls
    self.userAgent = userAgent
  }
}

extension BodyLimits {
  /// The request's own limits; where those are nil, these, which are the session's.
  func of(_ request: LoadRequest) -> BodyLimits { request.bodyLimits.or(self) }
}
