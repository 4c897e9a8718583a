import LoadingModel

/// A proxy: how it is spoken to, and where it listens.
package struct Proxy: Sendable, Hashable {
  package enum Kind: Sendable, Hashable, CaseIterable {
    /// HTTP: requests in absolute-form, tunnels by CONNECT (RFC 9110, 9.3.6).
    case http
    /// As `http`, over TLS.
    case https
    /// SOCKS 4: the origin's name is looked up here.
    case socks4
    /// SOCKS 4a: the proxy looks it up.
    case socks4a
    /// SOCKS 5 (RFC 1928): the name is looked up here.
    case socks5
    /// SOCKS 5: the proxy looks it up.
    case socks5h
  }

  /// User name and password for the proxy. Never described.
  package struct Login: Sendable, Hashable {
    package let user: String
    package let password: String

    package init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  package let kind: Kind
  /// Lower case, without the brackets of an IPv6 literal.
  package let host: String
  package let port: Int
  /// What came with the settings; nil if the proxy's questions are the app's.
  package let login: Login?

  package init(_ kind: Kind, host: String, port: Int, login: Login? = nil) {
    self.kind = kind
    self.host = host
    self.port = port
    self.login = login
  }

  /// Scheme, host and port of the proxy itself: what its TLS and its protection spaces belong to.
  package var origin: Origin { Origin(scheme: kind.scheme, host: host, port: port) }

  /// Host and port for messages: without the login.
  package var place: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

extension Proxy.Kind {
  package var isHTTP: Bool {
    switch self {
    case .http, .https: true
    case .socks4, .socks4a, .socks5, .socks5h: false
    }
  }

  package var scheme: String {
    switch self {
    case .http: "http"
    case .https: "https"
    case .socks4, .socks4a, .socks5, .socks5h: "socks"
    }
  }

  /// The port where the settings name none.
  package var defaultPort: Int {
    switch self {
    case .http: 80
    case .https: 443
    case .socks4, .socks4a, .socks5, .socks5h: 1080
    }
  }
}

extension Proxy.Login: CustomStringConvertible, CustomReflectable {
  package var description: String { "<login>" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
