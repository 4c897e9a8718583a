import Foundation

/// The listening socket that systemd hands over (sd_listen_fds(3)).
enum ActivatedSocket {
  /// SD_LISTEN_FDS_START.
  private static let first: Int32 = 3

  /// nil if the process wasn't started for a socket. To be called once: the descriptor is the caller's.
  static func descriptor(environment: [String: String]) -> Int32? {
    guard environment["LISTEN_PID"].flatMap(Int32.init) == getpid(), let count = environment["LISTEN_FDS"].flatMap(Int.init), count >= 1,
      fcntl(first, F_GETFD) >= 0
    else { return nil }
    _ = fcntl(first, F_SETFD, FD_CLOEXEC)
    return first
  }
}
