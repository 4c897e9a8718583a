import Cryptography
import Foundation

/// An encryption key of 32 random bytes, in a file that only its owner may read. The caller holds a lock while it makes a key.
package struct KeyFile: Sendable {
  private let url: URL

  package init(_ url: URL) { self.url = url }

  /// The key; nil if there is no file, or it isn't a key.
  package func read() throws -> SealingKey? { try PrivateFile.read(url).flatMap { SealingKey($0) } }

  /// Makes a new key, which replaces any other one in the file.
  package func make() throws -> SealingKey {
    try StoreFiles.makeFolder(url.deletingLastPathComponent())
    let new = SealingKey()
    try PrivateFile.write(new.bytes, to: url)
    return new
  }
}
