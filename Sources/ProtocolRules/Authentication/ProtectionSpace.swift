import LoadingModel

/// Where a credential is good for: a server or proxy, and within it a realm (RFC 9110, 11.5). What `URLProtectionSpace` wraps.
package struct ProtectionSpace: Sendable, Hashable {
  /// The kind of peer that asks.
  package enum Peer: Sendable, Hashable {
    case server
    case proxy
  }

  package var peer: Peer
  /// Scheme, host and port of the peer that asks.
  package var origin: Origin
  /// nil for methods that have none, and where a server forgot it.
  package var realm: String?
  package var method: AuthenticationMethod

  package init(_ peer: Peer, _ origin: Origin, realm: String?, method: AuthenticationMethod) {
    self.peer = peer
    self.origin = origin
    self.realm = realm
    self.method = method
  }
}

/// How a client is to prove itself, or a server. The names of the `NSURLAuthenticationMethod…` constants are the public layer's.
package enum AuthenticationMethod: Sendable, Hashable, CaseIterable {
  case basic, digest, ntlm, negotiate, clientCertificate, serverTrust
  /// User and password, as the protocol itself sends them: FTP's.
  case login

  /// Whether it belongs to a connection rather than to a request: such a challenge is offered to the session's delegate method first.
  package var isSessionLevel: Bool {
    switch self {
    case .ntlm, .negotiate, .clientCertificate, .serverTrust: true
    case .basic, .digest, .login: false
    }
  }
}
