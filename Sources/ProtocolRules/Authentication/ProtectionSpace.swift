import LoadingModel

/// Where a credential is valid: a server or proxy, and within it a realm (RFC 9110, 11.5). `URLProtectionSpace` wraps it.
package struct ProtectionSpace: Sendable, Hashable {
  /// The kind of peer that asks for authentication.
  package enum Peer: Sendable, Hashable {
    case server
    case proxy
  }

  package var peer: Peer
  /// Scheme, host and port of the peer that asks for authentication.
  package var origin: Origin
  /// The realm of the challenge; nil for methods that have none, and where the server left it out.
  package var realm: String?
  package var method: AuthenticationMethod

  package init(_ peer: Peer, _ origin: Origin, realm: String?, method: AuthenticationMethod) {
    self.peer = peer
    self.origin = origin
    self.realm = realm
    self.method = method
  }
}

/// How a client or a server is to prove its identity. The names of the `NSURLAuthenticationMethod…` constants are in the public layer.
package enum AuthenticationMethod: Sendable, Hashable, CaseIterable {
  case basic, digest, ntlm, negotiate, clientCertificate, serverTrust
  /// User name and password in the protocol's own commands, as in FTP.
  case login

  /// Whether the method authenticates a connection rather than a request: such a challenge is offered to the session's delegate method first.
  package var isSessionLevel: Bool {
    switch self {
    case .ntlm, .negotiate, .clientCertificate, .serverTrust: true
    case .basic, .digest, .login: false
    }
  }
}
