/// The backends of one store, the preferred one first, and what each of them is known to have. Every function blocks.
///
/// If a backend refuses a change, this process still goes by it: the credential is stored in the next backend; one that was to be removed, or was
/// stored in another backend, is left out of `merged`. With each further change the refused ones are tried again.
final class CredentialBackends: @unchecked Sendable {
  // @unchecked: the lazy and the variable properties are confined to the owner's serial queue; `open` is immutable.

  private let open: @Sendable () -> [any CredentialBackend]
  private(set) lazy var backends = open()
  private lazy var known = backends.map { _ in CredentialList() }
  /// Credentials, by backend, that were to be removed from it, which it has refused.
  private lazy var unwanted = backends.map { _ in [StoredCredential]() }

  init(_ open: @escaping @Sendable () -> [any CredentialBackend]) { self.open = open }

  /// Reads all backends; if one can't be read, what was known of it stays.
  func read() { for place in backends.indices { known[place] = (try? backends[place].read()) ?? known[place] } }

  func keep(_ credential: StoredCredential) {
    var hasPlace = false
    for place in backends.indices {
      if hasPlace {
        forget(at: place, user: credential.user, in: credential.space)
      } else if update(place, { $0.keep(credential) }) {
        hasPlace = true
      } else if let old = known[place].credential(of: credential.user, in: credential.space) {
        note([old], at: place)
      }
    }
  }

  func forget(user: String, in space: StoredCredential.Space) {
    for place in backends.indices { forget(at: place, user: user, in: space) }
  }

  func forgetAll() {
    // Backends without credentials are skipped: comparing lists is cheaper than locking a file.
    for place in backends.indices where !known[place].credentials.isEmpty && !update(place, { $0.forgetAll() }) {
      note(known[place].credentials, at: place)
    }
  }

  private func forget(at place: Int, user: String, in space: StoredCredential.Space) {
    guard let credential = known[place].credential(of: user, in: space) else { return }
    if !update(place, { $0.forget(user: user, in: space) }) { note([credential], at: place) }
  }

  /// Tries again what backends have refused: removals, and storing credentials durably that are only in memory so far.
  func catchUp() {
    for place in backends.indices {
      if !unwanted[place].isEmpty { _ = update(place) { _ in } }
      guard !backends[place].isDurable else { continue }
      for credential in known[place].credentials { keep(credential) }
    }
  }

  /// Changes a backend, and removes what was refused to be removed before. Returns false if the backend refuses.
  private func update(_ place: Int, _ change: (inout CredentialList) -> Void) -> Bool {
    let unwanted = unwanted[place]
    guard
      let list = try? backends[place].update({ list in
        list = CredentialBackends.without(unwanted, list)
        change(&list)
      })
    else { return false }
    known[place] = list
    self.unwanted[place] = []
    return true
  }

  private func note(_ credentials: [StoredCredential], at place: Int) {
    let others = unwanted[place].filter { one in !credentials.contains { $0.user == one.user && $0.space == one.space } }
    unwanted[place] = others + credentials
  }

  private static func without(_ unwanted: [StoredCredential], _ list: CredentialList) -> CredentialList {
    var list = list
    // A credential with another password was stored later by another process, and stays.
    for one in unwanted where list.credential(of: one.user, in: one.space)?.password == one.password {
      list.forget(user: one.user, in: one.space)
    }
    return list
  }

  var merged: CredentialList {
    var result = CredentialList()
    for place in backends.indices.reversed() {
      for credential in CredentialBackends.without(unwanted[place], known[place]).credentials { result.keep(credential) }
    }
    return result
  }
}
