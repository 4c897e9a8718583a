import Foundation

/// Why a store keeps nothing on disk. Its description says what to do about it and holds no secrets.
package struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What lies behind it, as far as it makes a difference.
  package enum Cause: Sendable {
    /// There may be room again: it is worth another try.
    case fullDisk
    /// The library that stores are kept with isn't installed.
    case noSQLite
    case other
  }

  /// File or folder in question.
  package let path: String
  package let reason: String
  package let cause: Cause
  /// Whether the store goes on in memory; if not, what was to be kept is refused.
  package private(set) var isKeptInMemory = true

  package init(path: String, reason: String, cause: Cause = .other) {
    self.path = path
    self.reason = reason
    self.cause = cause
  }

  /// The failure of a store that refuses what it can't keep on disk.
  package var asRefusal: StoreFailure {
    var failure = self
    failure.isKeptInMemory = false
    return failure
  }

  /// - Parameter code: The `errno` of the system call that failed.
  package init(path: String, code: Int32) {
    self.init(path: path, reason: StoreFile.errorText(code), cause: code == ENOSPC || code == EDQUOT ? .fullDisk : .other)
  }

  /// `error` itself, if it is one of these.
  package init(path: String, _ error: any Error) {
    switch error {
    case let failure as StoreFailure: self = failure
    case let error as DatabaseError:
      self.init(
        path: path, reason: error.message ?? "\(error)", cause: error.isFullDisk ? .fullDisk : .other)
    default: self.init(path: path, reason: "\(error)")
    }
  }

  /// Something else is where a file of the store should be.
  static func noFile(_ path: String) -> StoreFailure {
    StoreFailure(path: path, reason: "what stands there is a link, a folder or a pipe rather than a file; remove it")
  }

  /// `folder` couldn't be made.
  init(folder: URL, _ error: any Error) {
    let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
    self.init(
      path: folder.path(percentEncoded: false), reason: "the folder can't be made" + (isFull ? ": the disk is full" : ""),
      cause: isFull ? .fullDisk : .other)
  }

  package var description: String {
    switch cause {
    case .fullDisk where !isKeptInMemory: "can't keep data in \(path): \(reason). Make room on that disk and try again."
    case .noSQLite where !isKeptInMemory: "can't keep data in \(path): \(reason)."
    case .noSQLite: "can't keep data in \(path): \(reason). It is kept in memory until the process ends."
    case .other where !isKeptInMemory:
      "can't keep data in \(path): \(reason). Make the folder writable, or name another in URL_LOADING_SYSTEM_HOME."
    case .fullDisk:
      "can't keep data in \(path): \(reason). It is kept in memory, and written when there is room; make some on that disk."
    case .other:
      "can't keep data in \(path): \(reason). It is kept in memory until the process ends; "
        + "make the folder writable, or name another in URL_LOADING_SYSTEM_HOME."
    }
  }
}
