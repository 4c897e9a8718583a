import Foundation

/// The facts by which a change of a file is noticed: its size, time of modification and inode.
package struct FileFacts: Sendable, Hashable {
  /// The file's size in bytes.
  package let size: Int64
  private let seconds: Int
  private let nanoseconds: Int
  private let serialNumber: UInt64

  /// An entity tag that is different for each state of the file.
  package var tag: String { "\"\(seconds).\(nanoseconds)-\(size)-\(serialNumber)\"" }

  /// A text that changes when the file's content does; a copy that kept size and time of modification has the same.
  package var stamp: String { "\(seconds).\(nanoseconds)-\(size)" }

  package init(_ facts: stat) {
    size = Int64(facts.st_size)
    seconds = facts.st_mtim.tv_sec
    nanoseconds = facts.st_mtim.tv_nsec
    serialNumber = UInt64(facts.st_ino)
  }

  /// The facts of an open file; nil if they can't be read: errno says why.
  package init?(_ descriptor: Int32) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// The facts of a regular file at the moment. Blocks while the file system is asked.
  /// - Throws: `fileDoesNotExist`, `noPermissionsToReadFile`, `fileIsDirectory` or `cannotOpenFile`.
  package init(path: String) throws(LoadError) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw FileRefusal.unopened(path, errno, .send) }
    try FileRefusal.checkRegular(path, facts, .send)
    self.init(facts)
  }
}
