/// The backends of one store, best first, and what is known of them. Every function blocks.
///
/// What a backend refuses isn't lost on this process: a credential is stored in the next one, and what was to be forgotten, or has been
/// replaced in another backend, is left out of `merged` from then on. Each change tries again what was refused before.
final class CredentialBackends: @unchecked Sendable {
  // @unchecked: the lazy and the variable properties are confined to the owner's serial queue; `open` is immutable.

  private let open: @Sendable () -> [any CredentialBackend]
  private(set) lazy var backends = open()
  private lazy var known = backends.map { _ in CredentialList() }
  /// What each backend still has and shouldn't.
  private lazy var unwanted = backends.map { _ in [StoredCredential]() }

  init(_ open: @escaping @Sendable () -> [any CredentialBackend]) { self.open = open }

  /// A backend that can't be read at the moment keeps what was known of it.
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
    // Places that know nothing aren't bothered: looking is cheaper than locking.
    for place in backends.indices where !known[place].credentials.isEmpty && !update(place, { $0.forgetAll() }) {
      note(known[place].credentials, at: place)
    }
  }

  private func forget(at place: Int, user: String, in space: StoredCredential.Space) {
    guard let credential = known[place].credential(of: user, in: space) else { return }
    if !update(place, { $0.forget(user: user, in: space) }) { note([credential], at: place) }
  }

  /// Tries again what backends have refused: to forget, and to keep what ends with the process otherwise.
  func catchUp() {
    for place in backends.indices {
      if !unwanted[place].isEmpty { _ = update(place) { _ in } }
      guard !backends[place].isDurable else { continue }
      for credential in known[place].credentials { keep(credential) }
    }
  }

  /// Changes a backend, without what it shouldn't have any more; false if it refuses.
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
    // One with another password is another process's, and newer.
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
