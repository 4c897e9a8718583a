/// A password that is kept beyond the process, and where it is good for. It never describes its secret.
package struct StoredCredential: Codable, Hashable, Sendable {
  /// Where it is good for: what tells one `URLProtectionSpace` from another.
  package struct Space: Codable, Hashable, Sendable {
    package enum Peer: String, Codable, Sendable {
      case server, proxy
    }

    package var peer: Peer
    /// The server's protocol or the proxy's type.
    package var kind: String?
    package var host: String
    package var port: Int
    package var realm: String?
    package var method: String

    package init(peer: Peer, kind: String?, host: String, port: Int, realm: String?, method: String) {
      self.peer = peer
      self.kind = kind
      self.host = host
      self.port = port
      self.realm = realm
      self.method = method
    }
  }

  package enum Persistence: String, Codable, Sendable {
    case permanent, synchronizable
  }

  /// Whether it is tried without asking.
  package enum Role: String, Codable, Sendable {
    case standard = "default"
    case other
  }

  package var space: Space
  package var user: String
  package var password: String
  package var persistence: Persistence
  package var role: Role

  package init(space: Space, user: String, password: String, persistence: Persistence, role: Role) {
    self.space = space
    self.user = user
    self.password = password
    self.persistence = persistence
    self.role = role
  }
}

extension StoredCredential: CustomStringConvertible, CustomReflectable {
  package var description: String { "StoredCredential(\(space.host), \(persistence))" }
  /// A dump shows no secret either.
  package var customMirror: Mirror { Mirror(self, children: ["space": space, "persistence": persistence]) }
}
