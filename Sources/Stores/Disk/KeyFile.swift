import Cryptography
import Foundation

/// A key of 32 random bytes in a file that only its owner may read. One writer at a time: the caller holds a lock.
package struct KeyFile: Sendable {
  private let url: URL

  package init(_ url: URL) { self.url = url }

  /// The key; nil if there is none, or the file holds something else.
  package func read() throws -> SealingKey? { try PrivateFile.read(url).flatMap { SealingKey($0) } }

  /// Makes a new key in the place of any other.
  package func make() throws -> SealingKey {
    try StoreFiles.makeFolder(url.deletingLastPathComponent())
    let new = SealingKey()
    try PrivateFile.write(new.bytes, to: url)
    return new
  }
}
