import BackgroundTransfers
import Foundation

/// What the process has from the app that has started it, and sets anew before the daemon begins.
enum ProcessLimits {
  /// Open files that the daemon can use: those of all running transfers and their connections, and of 256 apps.
  private static let openFiles: rlim_t = 8192

  /// Makes the files that the process makes their owner's alone, whatever the umask of the app was that has started it.
  static func keepFilesPrivate() { umask(FileCreationMask.ownerOnly) }

  /// Raises the soft limit of open files to `openFiles`, or to the hard limit if that is lower.
  static func raiseOpenFiles() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < openFiles else { return }
    limit.rlim_cur = min(limit.rlim_max, openFiles)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
