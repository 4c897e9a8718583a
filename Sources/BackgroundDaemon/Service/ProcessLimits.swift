import Foundation

/// Raises the process's resource limits before the daemon begins.
enum ProcessLimits {
  /// Open files that the daemon can use: those of all running transfers and their connections, and of 256 apps.
  private static let openFiles: rlim_t = 8192

  /// Raises the soft limit of open files to `openFiles`, or to the hard limit if that is lower.
  static func raiseOpenFiles() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < openFiles else { return }
    limit.rlim_cur = min(limit.rlim_max, openFiles)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
