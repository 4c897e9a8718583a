import Foundation

/// One proxy or relay, and the hosts it is for. A session tries its `proxyConfigurations` in order.
///
/// Has the shape of the type in Apple's Network framework.
public struct ProxyConfiguration: Hashable, Sendable {
  /// The kind of proxy.
  package enum Kind: Hashable, Sendable {
    case httpConnect(NWEndpoint, NWProtocolTLS.Options?)
    case socksv5(NWEndpoint)
    case relay([RelayHop])
    case obliviousHTTP(RelayHop, resourcePath: String, gatewayKeyConfig: Data)
  }

  /// User name and password for the proxy.
  package struct Credential: Hashable, Sendable {
    package let username: String
    package let password: String
  }

  package let kind: Kind
  package private(set) var credential: Credential?

  /// Whether a load may continue without this proxy when the proxy can't be reached. Default: false.
  public var allowFailover = false
  /// Only hosts that equal one of these domains or lie below it use the proxy; empty means all. Default: empty.
  public var matchDomains: [String] = []
  /// Hosts that equal one of these domains or lie below it don't use the proxy, whatever `matchDomains` says. Default: empty.
  public var excludedDomains: [String] = []

  /// A proxy that opens tunnels by HTTP CONNECT (RFC 9110, 9.3.6).
  ///
  /// - Parameters:
  ///   - proxyEndpoint: Where the proxy listens.
  ///   - tlsOptions: Not nil if the connection to the proxy itself is to use TLS; nil for a plain connection.
  public init(httpCONNECTProxy proxyEndpoint: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) {
    kind = .httpConnect(proxyEndpoint, tlsOptions)
  }

  /// A SOCKS version 5 proxy (RFC 1928). It is given host names, not addresses.
  public init(socksv5Proxy proxyEndpoint: NWEndpoint) {
    kind = .socksv5(proxyEndpoint)
  }

  /// MASQUE relays (RFC 9298), one or two, the nearest first. They aren't supported: loads of their hosts fail with `cannotConnectToHost`.
  public init(relayHops: [ProxyConfiguration.RelayHop]) {
    kind = .relay(relayHops)
  }

  /// An Oblivious HTTP relay (RFC 9458), for http and https. Other loads of such hosts fail, and `allowFailover` doesn't count.
  ///
  /// - Parameters:
  ///   - obliviousHTTPRelay: The relay.
  ///   - relayResourcePath: Path of the relay's resource for the gateway.
  ///   - gatewayKeyConfig: The gateway's key configuration, as RFC 9458, 3 encodes it.
  ///   - matchDomains: The hosts whose requests the gateway can forward.
  public init(
    obliviousHTTPRelay: ProxyConfiguration.RelayHop, relayResourcePath: String, gatewayKeyConfig: Data, matchDomains: [String]
  ) {
    kind = .obliviousHTTP(obliviousHTTPRelay, resourcePath: relayResourcePath, gatewayKeyConfig: gatewayKeyConfig)
    self.matchDomains = matchDomains
  }

  /// Sets the user name and password that are sent if the proxy asks for authentication.
  public mutating func applyCredential(username: String, password: String) {
    credential = Credential(username: username, password: password)
  }
}

extension ProxyConfiguration {
  /// One relay in a chain of relays.
  public struct RelayHop: Hashable, Sendable {
    package let http3Endpoint: NWEndpoint?
    package let http2Endpoint: NWEndpoint?
    package let tlsOptions: NWProtocolTLS.Options
    package let additionalHTTPHeaderFields: [String: String]

    /// A relay reached over HTTP/3, or over HTTP/2 where UDP doesn't pass.
    public init(
      http3RelayEndpoint: NWEndpoint, http2RelayEndpoint: NWEndpoint? = nil, tlsOptions: NWProtocolTLS.Options = .init(),
      additionalHTTPHeaderFields: [String: String] = [:]
    ) {
      http3Endpoint = http3RelayEndpoint
      http2Endpoint = http2RelayEndpoint
      self.tlsOptions = tlsOptions
      self.additionalHTTPHeaderFields = additionalHTTPHeaderFields
    }

    /// A relay reached over HTTP/2 only.
    public init(
      http2RelayEndpoint: NWEndpoint, tlsOptions: NWProtocolTLS.Options = .init(), additionalHTTPHeaderFields: [String: String] = [:]
    ) {
      http3Endpoint = nil
      http2Endpoint = http2RelayEndpoint
      self.tlsOptions = tlsOptions
      self.additionalHTTPHeaderFields = additionalHTTPHeaderFields
    }
  }
}

extension ProxyConfiguration.Credential: CustomStringConvertible, CustomReflectable {
  /// Shows no password, so that none gets into logs.
  package var description: String { "<credential>" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension ProxyConfiguration.RelayHop: CustomReflectable {
  /// Shows the endpoints only: the header fields may contain tokens.
  public var customMirror: Mirror {
    Mirror(self, children: ["http3Endpoint": http3Endpoint as Any, "http2Endpoint": http2Endpoint as Any])
  }
}
