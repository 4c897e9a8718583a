import LoadingModel

/// A proxy: its protocol, address and login.
package struct Proxy: Sendable, Hashable {
  package enum Kind: Sendable, Hashable, CaseIterable {
    /// HTTP: requests in absolute-form, tunnels by CONNECT (RFC 9110, 9.3.6).
    case http
    /// The same as `http`, with TLS to the proxy.
    case https
    /// SOCKS 4: this client looks the origin's name up, and sends the address.
    case socks4
    /// SOCKS 4a: the proxy looks the origin's name up.
    case socks4a
    /// SOCKS 5 (RFC 1928): this client looks the origin's name up, and sends the address.
    case socks5
    /// SOCKS 5 (RFC 1928): the proxy looks the origin's name up.
    case socks5h
  }

  /// User name and password for the proxy. Its description doesn't show them.
  package struct Login: Sendable, Hashable {
    package let user: String
    package let password: String

    package init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  package let kind: Kind
  /// The proxy's host in lower case, without the brackets of an IPv6 literal.
  package let host: String
  package let port: Int
  /// User name and password from the settings; nil if there are none, and the app answers the proxy's challenges.
  package let login: Login?

  package init(_ kind: Kind, host: String, port: Int, login: Login? = nil) {
    self.kind = kind
    self.host = host
    self.port = port
    self.login = login
  }

  /// Scheme, host and port of the proxy itself, for TLS to the proxy and for its protection spaces.
  package var origin: Origin { Origin(scheme: kind.scheme, host: host, port: port) }

  /// Host and port as text for error messages, without the login.
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

  /// The port if the settings name none.
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
