import Dispatch
import LoadingModel

/// The threads on which one cache waits for its disk: a few for reading, one more for the bodies that are received. It has another one
/// besides, on which it changes its database (`CacheDisk`).
///
/// Each cache has its own, so that a disk that hangs doesn't block other caches' reads; and each read takes the next free thread, so that
/// a file that hangs takes one. The threads behind the queues are made when there is something to do and end when there isn't.
final class CacheThreads: Sendable {
  /// Reads that may wait for a thread; beyond, a disk that doesn't answer is as good as none.
  private static let waitingLimit = 1024
  static let readerCount = 3

  private struct Reading {
    /// Places of readers with nothing to do.
    var idle = Array(0..<readerCount)
    /// What waits for a reader: the next one last, and behind these the rest in order.
    var next: [@Sendable () -> Void] = []
    var rest: [@Sendable () -> Void] = []

    mutating func take() -> (@Sendable () -> Void)? {
      if next.isEmpty { (next, rest) = (rest.reversed(), []) }
      return next.popLast()
    }
  }

  private let readers = (0..<readerCount).map { DispatchQueue(label: "URLLoadingSystem.cache.read-\($0)", qos: .userInitiated) }
  private let receiver = DispatchQueue(label: "URLLoadingSystem.cache.receive", qos: .utility)
  private let readings = Mutex(Reading())

  /// Reading threads that are at work, or hang.
  var busyReaders: Int { readings.withLock { CacheThreads.readerCount - $0.idle.count } }

  /// Runs `body` on a reading thread; nil if too much waits already.
  nonisolated(nonsending) func reading<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
    await withUnsafeContinuation { continuation in
      if !read({ continuation.resume(returning: body()) }) { continuation.resume(returning: nil) }
    }
  }

  private func read(_ work: @escaping @Sendable () -> Void) -> Bool {
    let (isTaken, place) = readings.withLock { readings -> (Bool, Int?) in
      if let place = readings.idle.popLast() { return (true, place) }
      guard readings.next.count + readings.rest.count < CacheThreads.waitingLimit else { return (false, nil) }
      readings.rest.append(work)
      return (true, nil)
    }
    if let place { readers[place].async { [self] in run(at: place, from: work) } }
    return isTaken
  }

  /// On a reading thread: does what waits, until there is nothing.
  private func run(at place: Int, from first: @escaping @Sendable () -> Void) {
    var work: (@Sendable () -> Void)? = first
    while let now = work {
      now()
      work = readings.withLock { readings in
        let next = readings.take()
        if next == nil { readings.idle.append(place) }
        return next
      }
    }
  }

  /// Runs `body` on the thread that writes received bodies.
  nonisolated(nonsending) func receiving<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    let receiver = receiver
    return await withUnsafeContinuation { continuation in
      receiver.async { continuation.resume(returning: body()) }
    }
  }

  /// Runs `body` some time, after what is now being received.
  func later(_ body: @escaping @Sendable () -> Void) { receiver.async(execute: body) }
}
