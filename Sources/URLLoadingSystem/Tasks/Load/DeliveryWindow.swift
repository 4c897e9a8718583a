import Foundation
import LoadingEngine
import LoadingModel
import NIOCore

/// The pieces of a body that wait for the delegate queue; the load stops reading while they have too many bytes.
///
/// Belongs to one load; `add` and `waitForRoom` are called on the session's event loop, `next` and `delivered` on the delegate queue.
struct DeliveryWindow: ~Copyable, Sendable {
  /// The number of bytes that may wait in the delegate queue before the load stops reading.
  static let size = 512 * 1024

  // Not private: the compiler (6.3) fails to link the metadata of a private type that a noncopyable one of another file stores.
  struct Outstanding {
    /// Bytes of the pieces that haven't been delivered.
    var bytes = 0
    var room: AppWait<Void>?
    /// The piece that is delivered next, and those behind it: most responses have one, for which no buffer is made.
    var first: Data?
    var others: CircularBuffer<Data>?
  }

  private let outstanding = Mutex(Outstanding())

  /// Adds a piece, for which the caller then posts a call of the delegate.
  ///
  /// - Returns: Whether the window is full, so that the load has to wait.
  func add(_ piece: Data) -> Bool {
    outstanding.withLock { outstanding in
      outstanding.bytes += piece.count
      if outstanding.first == nil {
        outstanding.first = piece
      } else if outstanding.others == nil {
        outstanding.others = [piece]
      } else {
        outstanding.others?.append(piece)
      }
      return outstanding.bytes >= DeliveryWindow.size
    }
  }

  /// The piece whose turn it is: one for each that was added, in order.
  func next() -> Data? {
    outstanding.withLock { outstanding in
      defer { outstanding.first = outstanding.others?.popFirst() }
      return outstanding.first
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
