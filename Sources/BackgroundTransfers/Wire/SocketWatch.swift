@preconcurrency import Dispatch
import LoadingModel

/// Tells when a socket can be read and written. Its functions are called on the queue that it was made with.
///
/// It lives until `stop`.
final class SocketWatch: Sendable {
  private let queue: DispatchQueue
  private let reading: any DispatchSourceRead
  private let writing: any DispatchSourceWrite
  private let stopped = DispatchGroup()
  /// Whether `writing` is resumed: the source is suspended unless bytes wait for room in the socket, because a socket can be written nearly always.
  private let awaitsRoom = Mutex(false)

  /// `readable` and `writable` are called on `queue`.
  init(_ descriptor: Int32, queue: DispatchQueue, readable: @escaping @Sendable () -> Void, writable: @escaping @Sendable () -> Void) {
    self.queue = queue
    reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    stopped.enter()
    stopped.enter()
    reading.setEventHandler(handler: readable)
    writing.setEventHandler { [self] in
      guard !writing.isCancelled, suspend() else { return }
      writable()
    }
    reading.setCancelHandler { [stopped] in stopped.leave() }
    writing.setCancelHandler { [stopped] in stopped.leave() }
    reading.resume()
  }

  /// Has `writable` called once, when the socket can be written.
  func awaitRoom() {
    guard !awaitsRoom.withLock({ SocketWatch.exchange(&$0, true) }) else { return }
    writing.resume()
  }

  /// Stops the reports. `done` is called on the queue when the descriptor may be closed.
  func stop(_ done: @escaping @Sendable () -> Void) {
    reading.cancel()
    writing.cancel()
    // The cancel handler of a suspended source isn't called before the source is resumed.
    if !awaitsRoom.withLock({ SocketWatch.exchange(&$0, true) }) { writing.resume() }
    stopped.notify(queue: queue, execute: done)
  }

  private func suspend() -> Bool {
    guard awaitsRoom.withLock({ SocketWatch.exchange(&$0, false) }) else { return false }
    writing.suspend()
    return true
  }

  private static func exchange(_ flag: inout Bool, _ new: Bool) -> Bool {
    defer { flag = new }
    return flag
  }
}
