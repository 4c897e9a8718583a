/// A password that is stored beyond the process's life, and its protection space. Its descriptions never show the password.
package struct StoredCredential: Codable, Hashable, Sendable {
  /// Where the credential applies: the properties of a `URLProtectionSpace`.
  package struct Space: Codable, Hashable, Sendable {
    package enum Peer: String, Codable, Sendable {
      case server, proxy
    }

    package var peer: Peer
    /// `URLProtectionSpace.protocol` of a server, or the proxy's type.
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

  /// Whether the credential is the default of its space, which is tried without asking the app.
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
  /// Keeps the password out of `dump` and `String(reflecting:)`.
  package var customMirror: Mirror { Mirror(self, children: ["space": space, "persistence": persistence]) }
}
