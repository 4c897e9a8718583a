import Foundation

/// A running daemon of an older version, whose place a newer one takes: it ends, and what it carried is carried on by the one that is started
/// next.
package enum OlderDaemon {
  /// Asks the daemon to end (SIGTERM), if it is older than this library and is the one that serves these places. It ends in order, which takes
  /// a few seconds at most; until then it has the lock, and none is started beside it.
  ///
  /// - Returns: Whether it was asked.
  package static func end(_ peer: LinkPeer, version: Int, of places: BackgroundPlaces) -> Bool {
    guard version < WireVersion.current, peer.isOwnUser, peer.process > 0, peer.process != getpid(),
      holder(of: places.lock) == peer.process
    else { return false }
    return kill(peer.process, SIGTERM) == 0
  }

  /// The process that has the daemon's lock, as the system knows it; nil if none has, or it can't be seen from here.
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
