import Foundation

/// Ends a running daemon of an older version, so that one of this version can be started, which carries the transfers on.
package enum OlderDaemon {
  /// Asks the daemon to end (SIGTERM), if it is older than this library and holds the lock of these places. It stores its transfers' resume data,
  /// which takes a few seconds at most, and keeps the lock until then, so that no other daemon runs beside it.
  ///
  /// - Returns: Whether the signal was sent.
  package static func end(_ peer: LinkPeer, version: Int, of places: BackgroundPlaces) -> Bool {
    guard version < WireVersion.current, peer.isOwnUser, peer.process > 0, peer.process != getpid(),
      holder(of: places.lock) == peer.process
    else { return false }
    return kill(peer.process, SIGTERM) == 0
  }

  /// The process that has the daemon's lock; nil if none has, or if it belongs to a process namespace that can't be seen from here.
  package static func holder(of lock: URL) -> pid_t? {
    let descriptor = open(lock.path(percentEncoded: false), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var mark = Foundation.flock()
    mark.l_type = Int16(F_WRLCK)
    mark.l_whence = Int16(SEEK_SET)
    guard fcntl(descriptor, F_GETLK, &mark) == 0, mark.l_type == Int16(F_WRLCK), mark.l_pid > 0 else { return nil }
    return mark.l_pid
  }
}
