import LoadingEngine
import LoadingModel

/// Counts the body bytes that wait in the delegate queue; the load stops reading while they are too many.
///
/// Belongs to one load; `add` and `waitForRoom` are called on the session's event loop, `delivered` on the delegate queue.
struct DeliveryWindow: ~Copyable, Sendable {
  /// The number of bytes that may wait in the delegate queue before the load stops reading.
  static let size = 512 * 1024

  // Not private: the compiler (6.3) fails to link the metadata of a private type that a noncopyable one of another file stores.
  struct Outstanding {
    var bytes = 0
    var room: AppWait<Void>?
  }

  private let outstanding = Mutex(Outstanding())

  /// - Returns: Whether the window is full, so that the load has to wait.
  func add(_ count: Int) -> Bool {
    outstanding.withLock { outstanding in
      outstanding.bytes += count
      return outstanding.bytes >= DeliveryWindow.size
    }
  }

  /// Answers `wait` as soon as at most half of the window's bytes wait in the delegate queue; at once if the window isn't full.
  func waitForRoom(_ wait: AppWait<Void>) {
    let hasRoom = outstanding.withLock { outstanding in
      if outstanding.bytes < DeliveryWindow.size { return true }
      outstanding.room = wait
      return false
    }
    if hasRoom { wait.answer(()) }
  }

  /// Called when the delegate has been given `count` bytes; lets the load go on if that made room.
  func delivered(_ count: Int) {
    let room = outstanding.withLock { outstanding -> AppWait<Void>? in
      outstanding.bytes -= count
      guard outstanding.bytes <= DeliveryWindow.size / 2 else { return nil }
      defer { outstanding.room = nil }
      return outstanding.room
    }
    room?.answer(())
  }
}
