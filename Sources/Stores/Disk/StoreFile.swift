import Foundation

/// An open file of a store, readable and writable by its owner alone.
package struct StoreFile {
  package let path: String
  package let descriptor: Int32

  package init(_ url: URL) throws {
    path = url.path(percentEncoded: false)
    // The flags refuse a symbolic link, and don't wait at a pipe: the store's files are regular ones.
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw errno == ELOOP ? .noFile(path) : StoreFailure(path: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      _ = Foundation.close(descriptor)
      throw StoreFailure.noFile(path)
    }
  }

  /// Opens the file and takes its lock (flock). Waits for other processes, but not without end: one may have been stopped while it held the lock.
  ///
  /// - Parameter patience: Seconds to wait for the lock.
  package init(locked url: URL, patience: Double) throws {
    try self.init(url)
    do {
      try lock(patience: patience)
    } catch {
      close()
      throw error
    }
  }

  /// - Parameter patience: Seconds to wait for the lock.
  package func lock(patience: Double) throws {
    let deadline = ContinuousClock.now + .seconds(patience)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let (isTaken, reason) = (errno == EWOULDBLOCK || errno == EINTR, StoreFile.errorText(errno))
      guard isTaken, ContinuousClock.now < deadline else {
        throw StoreFailure(path: path, reason: isTaken ? "another process holds its lock" : reason)
      }
      usleep(2_000)
    }
  }

  package func unlock() { flock(descriptor, LOCK_UN) }

  /// Whether the file still exists: false if it was deleted since it was opened.
  package var isInPlace: Bool {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 && facts.st_nlink > 0
  }

  /// Closes the file. Releases the lock explicitly, because a child process that is just being started may still have a copy of the descriptor.
  package func close() {
    flock(descriptor, LOCK_UN)
    _ = Foundation.close(descriptor)
  }

  static func errorText(_ code: Int32) -> String { String(cString: strerror(code)) }
}
