import Foundation

/// Why a store keeps nothing on disk. Its description says what the user can do, and has no secrets.
package struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of cause, as far as stores treat it differently.
  package enum Cause: Sendable {
    /// The disk is full: another attempt may succeed.
    case fullDisk
    /// SQLite, with which stores are kept, isn't installed.
    case noSQLite
    case other
  }

  /// Path of the file or folder concerned.
  package let path: String
  package let reason: String
  package let cause: Cause
  /// Whether the store goes on in memory; if not, it refuses data.
  package private(set) var isKeptInMemory = true

  package init(path: String, reason: String, cause: Cause = .other) {
    self.path = path
    self.reason = reason
    self.cause = cause
  }

  /// The same failure, of a store that refuses data instead of keeping it in memory.
  package var asRefusal: StoreFailure {
    var failure = self
    failure.isKeptInMemory = false
    return failure
  }

  /// - Parameter code: The `errno` of the system call that failed.
  package init(path: String, code: Int32) {
    self.init(path: path, reason: StoreFile.errorText(code), cause: code == ENOSPC || code == EDQUOT ? .fullDisk : .other)
  }

  /// The failure for any error: `error` itself if it is a `StoreFailure`.
  package init(path: String, _ error: any Error) {
    switch error {
    case let failure as StoreFailure: self = failure
    case let error as DatabaseError:
      self.init(
        path: path, reason: error.message ?? "\(error)", cause: error.isFullDisk ? .fullDisk : .other)
    default: self.init(path: path, reason: "\(error)")
    }
  }

  /// The path has a link, folder or pipe where the store's file should be.
  static func noFile(_ path: String) -> StoreFailure {
    StoreFailure(path: path, reason: "what stands there is a link, a folder or a pipe rather than a file; remove it")
  }

  /// The folder can't be made.
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
