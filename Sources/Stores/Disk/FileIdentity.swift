import Foundation

/// Which file a path leads to.
struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// Nil if there is none.
  init?(_ url: URL) {
    var facts = stat()
    guard stat(url.path(percentEncoded: false), &facts) == 0 else { return nil }
    (device, inode) = (UInt64(facts.st_dev), UInt64(facts.st_ino))
  }
}
