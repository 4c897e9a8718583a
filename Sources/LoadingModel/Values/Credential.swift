import Foundation

/// A credential as the engine sees it: `URLCredential` wraps it. Its descriptions never contain the secret.
package struct Credential: Sendable {
  /// The secret that the credential consists of.
  package enum Proof: Sendable, Hashable {
    case password(user: String, password: String)
    /// A client's certificate chain, own certificate first, and the private key: all in DER.
    case identity(chain: [Data], privateKey: Data)
    /// The server's certificates are accepted as they were presented.
    case trust
  }

  /// How long a credential is kept. Raw values are those of `URLCredential.Persistence`.
  package enum Persistence: UInt, Sendable {
    case none = 0
    case forSession = 1
    case permanent = 2
    case synchronizable = 3
  }

  package var proof: Proof
  package var persistence: Persistence
  /// The public object that the credential came from, so that the app gets the same one back; nil if there is none.
  package var native: (any AnyObject & Sendable)?

  package init(_ proof: Proof, persistence: Persistence, native: (any AnyObject & Sendable)? = nil) {
    self.proof = proof
    self.persistence = persistence
    self.native = native
  }

  /// User name and password; nil if the credential is of another kind.
  package var login: (user: String, password: String)? {
    if case .password(let user, let password) = proof { (user, password) } else { nil }
  }

  /// Whether both have the same secret, however long they are kept.
  package func proves(sameAs other: Credential) -> Bool { proof == other.proof }
}

extension Credential: CustomStringConvertible, CustomReflectable {
  package var description: String { "Credential(\(persistence))" }
  /// An empty mirror but for the persistence, so that `dump` doesn't show the secret.
  package var customMirror: Mirror { Mirror(self, children: ["persistence": persistence]) }
}

extension Credential.Proof: CustomStringConvertible, CustomReflectable {
  package var description: String {
    switch self {
    case .password: "password"
    case .identity: "identity"
    case .trust: "trust"
    }
  }
  package var customMirror: Mirror { Mirror(self, children: ["kind": description]) }
}
