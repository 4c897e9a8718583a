/// Credentials by space and user. A value: `URLCredentialStorage` owns one under its lock.
struct CredentialTable {
  private struct Entry {
    var byUser: [String: URLCredential] = [:]
    var defaultUser: String?
  }

  private var entries: [URLProtectionSpace: Entry] = [:]

  var all: [URLProtectionSpace: [String: URLCredential]] { entries.mapValues(\.byUser) }

  func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? { entries[space]?.byUser }

  func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
    guard let entry = entries[space], let user = entry.defaultUser else { return nil }
    return entry.byUser[user]
  }

  /// Keeps `credential`, in place of the user's former one. Answers whether anything changed: a credential without a user or for one
  /// request isn't kept.
  mutating func set(_ credential: URLCredential, for space: URLProtectionSpace, asDefault: Bool) -> Bool {
    guard let user = credential.user, credential.persistence != .none else { return false }
    var entry = entries[space] ?? Entry()
    guard entry.byUser[user] != credential || (asDefault && entry.defaultUser != user) else { return false }
    entry.byUser[user] = credential
    if asDefault { entry.defaultUser = user }
    entries[space] = entry
    return true
  }

  /// Forgets `credential`; answers whether it was there.
  mutating func remove(_ credential: URLCredential, for space: URLProtectionSpace) -> Bool {
    guard let user = credential.user, var entry = entries[space], entry.byUser[user] == credential else { return false }
    entry.byUser[user] = nil
    if entry.defaultUser == user { entry.defaultUser = nil }
    entries[space] = entry.byUser.isEmpty ? nil : entry
    return true
  }

  /// Forgets what `user` has in `space`, whatever it is.
  mutating func removeAll(of user: String, for space: URLProtectionSpace) {
    if let credential = entries[space]?.byUser[user] { _ = remove(credential, for: space) }
  }

  /// Nothing is tried without asking any more.
  mutating func removeDefault(for space: URLProtectionSpace) { entries[space]?.defaultUser = nil }
}
