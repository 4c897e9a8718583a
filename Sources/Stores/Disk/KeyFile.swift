import Crypto
import Foundation

/// A key of 32 random bytes in a file that only its owner may read. One writer at a time: the caller holds a lock.
package struct KeyFile: Sendable {
  private static let size = 32

  private let url: URL

  package init(_ url: URL) { self.url = url }

  /// The key; nil if there is none, or the file holds something else.
  package func read() throws -> SymmetricKey? {
    guard let bytes = try PrivateFile.read(url), bytes.count == KeyFile.size else { return nil }
    return SymmetricKey(data: bytes)
  }

  /// Makes a new key in the place of any other.
  package func make() throws -> SymmetricKey {
    try StoreFiles.makeFolder(url.deletingLastPathComponent())
    let new = SymmetricKey(size: .bits256)
    try PrivateFile.write(new.withUnsafeBytes { Data($0) }, to: url)
    return new
  }
}
