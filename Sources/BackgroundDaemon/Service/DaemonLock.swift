import Foundation

/// The lock that makes a daemon the only one of its data folder. The system releases it when the process ends, however that happens.
final class DaemonLock: Sendable {
  private let descriptor: Int32

  /// nil if another daemon has the lock.
  /// - Throws: If the file can't be made.
  init?(_ url: URL) throws {
    let path = url.path(percentEncoded: false)
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw DaemonFailure(path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      // The object is complete: `deinit` closes the file.
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR else { throw DaemonFailure(path, code) }
      return nil
    }
  }

  /// False if the file has been removed: another daemon can have a lock of the same name.
  var isInPlace: Bool {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 && facts.st_nlink > 0
  }

  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

/// Why the daemon can't start.
package struct DaemonFailure: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  init(_ path: String, _ code: Int32) { description = "\(path): \(String(cString: strerror(code)))" }
}
