import Foundation

/// The lock that makes a daemon the only one of its data folder. The kernel releases it when the process ends, however that happens.
///
/// The lock itself is one of flock(2). On the same file the daemon also holds a record lock of fcntl(2), only because F_GETLK tells its owner's
/// process.
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

  /// Takes the lock; nil if another daemon has it.
  /// - Throws: If the file can't be made.
  convenience init?(_ url: URL) throws {
    try self.init(opening: url)
    guard try isTaken() else { return nil }
  }

  /// Asks the daemon that has the lock to end (SIGTERM), and waits until the lock is free.
  ///
  /// Only a service manager's daemon does this. It is the only such daemon, so the other one was started by an app: no service manager looks after
  /// that one, and it ends with the user's login session. Its transfers go on in this daemon.
  ///
  /// - Parameter patience: Seconds to wait. An ending daemon takes a few, while its tasks hand over their resume data.
  /// - Throws: If the file can't be made, or the other daemon doesn't end.
  convenience init(takingOver url: URL, patience: Double) throws {
    try self.init(opening: url)
    let end = ContinuousClock.now + .seconds(patience)
    var asked: pid_t = 0
    while try !isTaken() {
      guard ContinuousClock.now < end else {
        throw DaemonFailure("\(path): another urlsessiond serves the data folder, and doesn't end; end it by hand")
      }
      // An app may start yet another daemon before it finds the service manager's socket: this one is asked as well.
      if let holder, holder != asked {
        kill(holder, SIGTERM)
        asked = holder
      }
      usleep(UInt32(DaemonLock.pause * 1_000_000))
    }
  }

  private func isTaken() throws -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      // All properties are set, so a throw runs `deinit`, which closes the file.
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR else { throw DaemonFailure(path, code) }
      return false
    }
    var mark = DaemonLock.mark
    _ = fcntl(descriptor, F_SETLK, &mark)
    return true
  }

  /// The process that has the lock; nil if it belongs to a process namespace that can't be seen from here.
  private var holder: pid_t? {
    var mark = DaemonLock.mark
    guard fcntl(descriptor, F_GETLK, &mark) == 0, mark.l_type == Int16(F_WRLCK), mark.l_pid > 0 else { return nil }
    return mark.l_pid
  }

  /// A write lock on the whole file, for fcntl(2).
  private static var mark: Foundation.flock {
    var mark = Foundation.flock()
    mark.l_type = Int16(F_WRLCK)
    mark.l_whence = Int16(SEEK_SET)
    return mark
  }

  /// Whether the lock's file still exists. If it was removed, another daemon can lock a new file of the same name.
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
