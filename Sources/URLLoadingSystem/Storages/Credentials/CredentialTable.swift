/// Credentials by protection space and user name. A value type; its functions call the app's code where these are of subclasses.
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

  /// Keeps `credential`, in place of the user's former one. Returns whether anything has changed; a credential without a user, or with persistence
  /// `.none`, isn't kept.
  mutating func set(_ credential: URLCredential, for space: URLProtectionSpace, asDefault: Bool) -> Bool {
    guard let user = credential.user, credential.persistence != .none else { return false }
    var entry = entries[space] ?? Entry()
    guard entry.byUser[user] != credential || (asDefault && entry.defaultUser != user) else { return false }
    entry.byUser[user] = credential
    if asDefault { entry.defaultUser = user }
    entries[space] = entry
    return true
  }

  /// Removes `credential`; returns whether it was there.
  mutating func remove(_ credential: URLCredential, for space: URLProtectionSpace) -> Bool {
    guard let user = credential.user, var entry = entries[space], entry.byUser[user] == credential else { return false }
    entry.byUser[user] = nil
    if entry.defaultUser == user { entry.defaultUser = nil }
    entries[space] = entry.byUser.isEmpty ? nil : entry
    return true
  }

  /// Removes the credential that `user` has in `space`, whatever its password and persistence; returns whether there was one.
  mutating func removeAll(of user: String, for space: URLProtectionSpace) -> Bool {
    guard let credential = entries[space]?.byUser[user] else { return false }
    return remove(credential, for: space)
  }

  /// Makes no credential the default of `space` any more; the credentials stay. Returns whether one was.
  mutating func removeDefault(for space: URLProtectionSpace) -> Bool {
    guard entries[space]?.defaultUser != nil else { return false }
    entries[space]?.defaultUser = nil
    return true
  }
}
