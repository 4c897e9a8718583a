/// The credentials of one backend: at most one for each space and user, and at most one default for each space. A value.
package struct CredentialList: Codable, Equatable, Sendable {
  package private(set) var credentials: [StoredCredential] = []

  package init() {}

  /// Of several credentials for one user in a space, and of several defaults, the last one counts.
  package init(_ credentials: [StoredCredential]) {
    for credential in credentials { keep(credential) }
  }

  /// Adds `credential`, in the place of the user's earlier one in that space; if that was the default, this one is the default, too.
  package mutating func keep(_ credential: StoredCredential) {
    var credential = credential
    if let place = credentials.firstIndex(where: { $0.space == credential.space && $0.user == credential.user }) {
      if credentials[place].role == .standard { credential.role = .standard }
      credentials.remove(at: place)
    }
    if credential.role == .standard {
      for place in credentials.indices where credentials[place].space == credential.space { credentials[place].role = .other }
    }
    credentials.append(credential)
  }

  package mutating func forget(user: String, in space: StoredCredential.Space) {
    credentials.removeAll { $0.user == user && $0.space == space }
  }

  package mutating func forgetAll() { credentials = [] }

  package func credential(of user: String, in space: StoredCredential.Space) -> StoredCredential? {
    credentials.first { $0.user == user && $0.space == space }
  }
}
