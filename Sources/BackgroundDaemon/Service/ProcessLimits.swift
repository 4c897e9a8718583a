import Foundation

/// What the daemon's process asks of the system before it begins.
enum ProcessLimits {
  /// Enough for every running transfer's files and connections and for 256 apps.
  private static let openFiles: rlim_t = 8192

  /// As many open files as the system allows, up to what the daemon can use.
  static func raiseOpenFiles() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < openFiles else { return }
    limit.rlim_cur = min(limit.rlim_max, openFiles)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
