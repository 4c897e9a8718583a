import Cryptography
import Foundation

/// Credentials in one file, encrypted with a key that lies in another folder. Several processes may use it at once.
///
///     data/credentials          "ULSCRED1", nonce, AES-256-GCM of the list as JSON, tag; the first eight bytes are authenticated
///     data/credentials.lock     held while the file is changed
///     settings/credentials.key  32 random bytes
///
/// What this protects and what it doesn't is in Documentation/decisions/0009-permanent-credentials.md.
package struct CredentialFile: CredentialBackend {
  private static let mark = Data("ULSCRED1".utf8)
  /// Seconds to wait for the lock while another process changes the file.
  private static let lockTimeout = 5.0

  let file: URL
  let key: URL

  package init(_ location: StoreLocation) {
    file = location.data.appending(path: "credentials", directoryHint: .notDirectory)
    key = location.settings.appending(path: "credentials.key", directoryHint: .notDirectory)
  }

  package func read() throws -> CredentialList {
    // The file is changed by one rename, so that reading needs neither the lock nor its folder.
    guard let contents = try PrivateFile.read(file) else { return CredentialList() }
    if let key = try KeyFile(key).read(), let list = CredentialFile.open(contents, key) { return list }
    // The file is damaged, or another process has made the key between the two reads: with the lock held the second is ruled out.
    return try locked { try readLocked().list ?? CredentialList() }
  }

  package func update(_ change: (inout CredentialList) -> Void) throws -> CredentialList {
    try locked {
      let (readable, known) = try readLocked()
      // An unreadable file is moved aside only if a new one replaces it: while the file is only read, a missing key may come back.
      if readable == nil { try PrivateFile.moveAside(file) }
      let before = readable ?? CredentialList()
      var list = before
      change(&list)
      guard list != before else { return list }
      if list.credentials.isEmpty {
        unlink(file.path(percentEncoded: false))
      } else {
        try PrivateFile.write(try CredentialFile.seal(list, known ?? KeyFile(key).make()), to: file)
      }
      return list
    }
  }

  /// The file's list, and the key. The list is nil if the file can't be decrypted: it is damaged, or belongs to another key.
  private func readLocked() throws -> (list: CredentialList?, key: SealingKey?) {
    let key = try KeyFile(key).read()
    guard let contents = try PrivateFile.read(file) else { return (CredentialList(), key) }
    if let key, let list = CredentialFile.open(contents, key) { return (list, key) }
    return (nil, key)
  }

  private static func seal(_ list: CredentialList, _ key: SealingKey) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let sealed = try key.seal(encoder.encode(list), authenticating: mark) else {
      throw StoreFailure(path: "credentials", reason: "they can't be encrypted")
    }
    return mark + sealed
  }

  private static func open(_ contents: Data, _ key: SealingKey) -> CredentialList? {
    guard contents.starts(with: mark), let plain = key.open(contents.dropFirst(mark.count), authenticating: mark) else { return nil }
    return try? JSONDecoder().decode(CredentialList.self, from: plain)
  }

  private func locked<Value>(_ body: () throws -> Value) throws -> Value {
    try StoreFiles.makeFolder(file.deletingLastPathComponent())
    let lock = try StoreFile(locked: file.appendingPathExtension("lock"), patience: CredentialFile.lockTimeout)
    defer { lock.close() }
    return try body()
  }
}
