import Foundation

/// Locks that another process holds on files.
package enum LockRelease {
  /// Returns when the file's lock (`flock`) is free, or the file can't be opened.
  package static func wait(for path: String) async {
    await withCheckedContinuation { done in
      Thread.detachNewThread {
        let lock = open(path, O_RDWR | O_CLOEXEC)
        if lock >= 0 {
          flock(lock, LOCK_EX)
          close(lock)
        }
        done.resume()
      }
    }
  }
}
