import Foundation

/// The lock that makes a daemon the only one of its data folder. The system releases it when the process ends, however that happens.
///
/// It is one of flock(2). Beside it the daemon holds one of fcntl(2), which nothing depends on but that the system tells whose it is.
final class DaemonLock: Sendable {
  /// Seconds between two tries to take the lock over.
  private static let pause = 0.02

  private let path: String
  private let descriptor: Int32

  private init(opening url: URL) throws {
    path = url.path(percentEncoded: false)
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw DaemonFailure(path, errno) }
  }

  /// nil if another daemon has the lock.
  /// - Throws: If the file can't be made.
  convenience init?(_ url: URL) throws {
    try self.init(opening: url)
    guard try isTaken() else { return nil }
  }

  /// Asks the daemon that has the lock to end (SIGTERM), and waits for it.
  ///
  /// For the daemon of a service manager. There is one of these at a time, so that the other is one that an app has started, which no manager
  /// looks after and which ends with the user's login session. What it carried is carried on by this one.
  ///
  /// - Parameter patience: Seconds. An ending daemon takes a few, for what its transfers need to be resumed.
  /// - Throws: If the file can't be made, or the other daemon doesn't end.
  convenience init(takingOver url: URL, patience: Double) throws {
    try self.init(opening: url)
    let end = ContinuousClock.now + .seconds(patience)
    var asked: pid_t = 0
    while try !isTaken() {
      guard ContinuousClock.now < end else {
        throw DaemonFailure("\(path): another urlsessiond serves the data folder, and doesn't end; end it by hand")
      }
      // Apps may start one again, just before they find the manager's socket.
      if let holder, holder != asked {
        kill(holder, SIGTERM)
        asked = holder
      }
      usleep(UInt32(DaemonLock.pause * 1_000_000))
    }
  }

  private func isTaken() throws -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      // The object is complete: `deinit` closes the file.
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR else { throw DaemonFailure(path, code) }
      return false
    }
    var mark = DaemonLock.mark
    _ = fcntl(descriptor, F_SETLK, &mark)
    return true
  }

  /// The process that has the lock, as the system knows it; nil if it can't be seen from here.
  private var holder: pid_t? {
    var mark = DaemonLock.mark
    guard fcntl(descriptor, F_GETLK, &mark) == 0, mark.l_type == Int16(F_WRLCK), mark.l_pid > 0 else { return nil }
    return mark.l_pid
  }

  /// Of the whole file.
  private static var mark: Foundation.flock {
    var mark = Foundation.flock()
    mark.l_type = Int16(F_WRLCK)
    mark.l_whence = Int16(SEEK_SET)
    return mark
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
