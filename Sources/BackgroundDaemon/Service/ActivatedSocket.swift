import Foundation

/// The listening socket that systemd hands over (sd_listen_fds(3)).
enum ActivatedSocket {
  /// SD_LISTEN_FDS_START.
  private static let first: Int32 = 3

  /// The descriptor of the socket, which the caller owns from then on: to be called once. nil if systemd didn't start this process for a socket.
  static func descriptor(environment: [String: String]) -> Int32? {
    guard environment["LISTEN_PID"].flatMap(Int32.init) == getpid(), let count = environment["LISTEN_FDS"].flatMap(Int.init), count >= 1,
      fcntl(first, F_GETFD) >= 0
    else { return nil }
    _ = fcntl(first, F_SETFD, FD_CLOEXEC)
    return first
  }
}
