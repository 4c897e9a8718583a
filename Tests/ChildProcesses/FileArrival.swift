import Foundation

/// Waits for a file that another program writes when it is ready.
package final class FileArrival: Sendable {
  private let path: String
  private let descriptor: Int32

  /// Watches `folder` from now on: to be made before the program is started.
  package init(_ name: String, in folder: URL) throws {
    path = folder.appending(path: name, directoryHint: .notDirectory).path(percentEncoded: false)
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)
    guard descriptor >= 0, inotify_add_watch(descriptor, folder.path(percentEncoded: false), events) >= 0 else {
      throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
    }
  }

  deinit { close(descriptor) }

  /// Whether the file is there; false if it takes longer than `HangLimit`. Waits on a thread of its own.
  package func wait() async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: self.waitNow()) }
    }
  }

  private func waitNow() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // Each event is one file of the few that a server writes when it starts.
    for _ in 0..<1000 where access(path, F_OK) != 0 {
      guard poll(&event, 1, Int32(HangLimit.seconds * 1000)) > 0 else { break }
      _ = read(descriptor, &buffer, buffer.count)
    }
    return access(path, F_OK) == 0
  }
}
