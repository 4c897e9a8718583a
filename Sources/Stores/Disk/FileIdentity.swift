import Foundation

/// The identity of the file that a path leads to: device and inode.
struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// nil if there is no such file.
  init?(_ url: URL) {
    var facts = stat()
    guard stat(url.path(percentEncoded: false), &facts) == 0 else { return nil }
    (device, inode) = (UInt64(facts.st_dev), UInt64(facts.st_ino))
  }
}
