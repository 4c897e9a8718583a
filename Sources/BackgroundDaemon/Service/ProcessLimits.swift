import BackgroundTransfers
import Foundation

/// What the process has from the app that has started it, and sets anew before the daemon begins.
enum ProcessLimits {
  /// Open files that the daemon can use: those of all running transfers and their connections, and of 256 apps.
  private static let openFiles: rlim_t = 8192

  /// Makes the files that the process makes their owner's alone, whatever the umask of the app was that has started it.
  static func keepFilesPrivate() { umask(FileCreationMask.ownerOnly) }

  /// Raises the soft limit of open files to `openFiles`, and those of the size of files, processor time and memory as far as the hard ones allow: the
  /// daemon works for all apps, and a soft limit is that of the one that has started it. A hard limit can't be raised.
  static func raise() {
    raise(RLIMIT_NOFILE, to: openFiles)
    for resource in [RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_AS, RLIMIT_DATA] { raise(resource, to: .max) }
  }

  private static func raise(_ resource: __rlimit_resource, to wanted: rlim_t) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, var higher = raised(limit, to: wanted) else { return }
    _ = setrlimit(__rlimit_resource_t(resource.rawValue), &higher)
  }

  /// The limit with its soft value at `wanted`, or at the hard one if that is lower; nil if it is there already.
  static func raised(_ limit: rlimit, to wanted: rlim_t) -> rlimit? {
    let soft = min(limit.rlim_max, wanted)
    return limit.rlim_cur < soft ? rlimit(rlim_cur: soft, rlim_max: limit.rlim_max) : nil
  }
}
