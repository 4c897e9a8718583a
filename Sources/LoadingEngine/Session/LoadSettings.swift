import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// What a URL session's configuration means to the engine. Durations are seconds.
package struct LoadSettings: Sendable {
  package var tls: TLSSettings
  /// What single origins demand of TLS beyond `tls`; nil if none does.
  package var tlsPolicy: TLSPolicyRule?
  package var maximumConnectionsPerHost = 6
  package var versions = HTTPVersions.all
  /// Whether safe requests may follow one another on connections of HTTP/1.1 without waiting for the responses.
  package var usesPipelining = false
  package var requestTimeout = 60.0
  package var resourceTimeout = 604_800.0
  package var additionalHeaders = HeaderFields()
  package var userAgent: String
  package var preferredLanguages: [String] = []
  /// The clock of tests; nil for the system's.
  package var clock: (any LoadClock)?
  /// Where cookies are kept, and which; nil keeps none.
  package var cookies: CookieSettings?
  /// Hosts that asked for TLS (RFC 6797); nil remembers none.
  package var hsts: HSTSStore?
  /// Hosts that count as if they had asked for TLS.
  package var secureHosts: SecureHostList?
  /// Where else origins are served, as they have said (RFC 7838); nil: in the session's own memory.
  package var alternatives: AlternativeServiceStore?
  /// What is asked for HTTPS records (RFC 9460); nil: the DNS isn't asked.
  package var serviceBindings: (any ServiceBindingResolver)?
  /// Whether safe requests may travel in the first flight of a resumed QUIC connection (0-RTT).
  package var enablesEarlyData = false
  /// App Transport Security; nil where it isn't in force.
  package var transportSecurity: TransportSecurityPolicy?
  /// The proxies that loads use.
  package var proxies = ProxySettings()
  /// Where responses are kept; nil keeps none.
  package var cache: (any CacheAccess)?
  /// `NSURLRequest.CachePolicy` by raw value, for requests that keep the default.
  package var cachePolicy: UInt = 0

  /// Which kinds of network loads may use, where their requests don't say otherwise.
  package var networkAccess = NetworkAccess.all
  /// Whether a load waits for a network where there is none that it may use.
  package var waitsForConnectivity = false
  /// `NSURLRequest.NetworkServiceType` by raw value, for requests that keep the default.
  package var networkServiceType: UInt = 0
  package var requiresDNSSECValidation = false
  package var sockets = SocketSettings()
  /// Where connections lead, and who knows the addresses of names.
  package var dialing = DialPlan()
  /// When requests are sent again after failures that may pass; nil: never.
  package var retryPolicy: RetryPolicy?
  package var bodyLimits = BodyLimits()
  /// The app's code around loads; nil where there is none.
  package var interceptor: Interceptor?
  /// Opens connections of HTTP/3 in tests; nil for the package's own.
  package var alternativeOpener: (any AlternativeOpener)?
  package var network: any NetworkObserver = SystemNetwork.shared
  /// Is told of each step of the session's connections.
  package var connectionWatcher: (any ConnectionWatcher)?

  package init(tls: TLSSettings, userAgent: String) {
    self.tls = tls
    self.userAgent = userAgent
  }
}

extension BodyLimits {
  /// The request's limits, and these, the session's, where it says nothing.
  func of(_ request: LoadRequest) -> BodyLimits { request.bodyLimits.or(self) }
}
