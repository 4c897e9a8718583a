import Foundation

/// What tells that a file has changed.
package struct FileFacts: Sendable, Hashable {
  /// Bytes.
  package let size: Int64
  private let seconds: Int
  private let nanoseconds: Int
  private let serialNumber: UInt64

  /// An entity tag that no other state of the file has.
  package var tag: String { "\"\(seconds).\(nanoseconds)-\(size)-\(serialNumber)\"" }

  /// Changes when the file's content does; the same for a copy that kept size and time of change.
  package var stamp: String { "\(seconds).\(nanoseconds)-\(size)" }

  package init(_ facts: stat) {
    size = Int64(facts.st_size)
    seconds = facts.st_mtim.tv_sec
    nanoseconds = facts.st_mtim.tv_nsec
    serialNumber = UInt64(facts.st_ino)
  }

  /// nil if the open file can't be examined; errno says why.
  package init?(_ descriptor: Int32) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// A regular file, as it is now. Blocks while the disk is asked.
  /// - Throws: `fileDoesNotExist`, `noPermissionsToReadFile`, `fileIsDirectory`, `cannotOpenFile`.
  package init(path: String) throws(LoadError) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw FileRefusal.unopened(path, errno, .send) }
    try FileRefusal.checkRegular(path, facts, .send)
    self.init(facts)
  }
}
