import LoadingEngine
import LoadingModel

/// Counts the bytes of a body that wait in the delegate queue, so that the load waits while they are many.
///
/// Its load's; `add` and `wait` are called on the session's event loop, `delivered` on the delegate queue.
struct DeliveryWindow: ~Copyable, Sendable {
  /// Bytes that may wait in the delegate queue before the load waits for it.
  static let size = 512 * 1024

  // Not private: the compiler (6.3) fails to link the metadata of a private type that a noncopyable one of another file stores.
  struct Outstanding {
    var bytes = 0
    var room: AppWait<Void>?
  }

  private let outstanding = Mutex(Outstanding())

  /// - Returns: Whether the load is to wait.
  func add(_ count: Int) -> Bool {
    outstanding.withLock { outstanding in
      outstanding.bytes += count
      return outstanding.bytes >= DeliveryWindow.size
    }
  }

  /// Answers `wait` when there is room.
  func waitForRoom(_ wait: AppWait<Void>) {
    let hasRoom = outstanding.withLock { outstanding in
      if outstanding.bytes < DeliveryWindow.size { return true }
      outstanding.room = wait
      return false
    }
    if hasRoom { wait.answer(()) }
  }

  /// The delegate has been called with so many bytes.
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
