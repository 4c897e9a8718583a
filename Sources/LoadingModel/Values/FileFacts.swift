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
    guard stat(path, &facts) == 0 else { throw FileFacts.failure(path, errno, .send) }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw facts.st_mode & S_IFMT == S_IFDIR
        ? LoadError(.fileIsDirectory, .send, "\(path) is a directory; name a file in it")
        : LoadError(.cannotOpenFile, .send, "\(path) is not a regular file")
    }
    self.init(facts)
  }

  /// What an errno means for a file that couldn't be opened.
  package static func failure(_ path: String, _ code: Int32, _ phase: LoadError.Phase) -> LoadError {
    switch code {
    case ENOENT, ENOTDIR: LoadError(.fileDoesNotExist, phase, "there is no file at \(path)", posixCode: code)
    case EACCES, EPERM: LoadError(.noPermissionsToReadFile, phase, "this process may not read \(path)", posixCode: code)
    default: LoadError(.cannotOpenFile, phase, "\(path) can't be opened (\(String(cString: strerror(code))))", posixCode: code)
    }
  }
}
