import Dispatch
import LoadingModel

/// The threads on which one cache waits for its disk: three that read, and one that writes received bodies. `CacheDisk` has another one, for changes
/// of the database.
///
/// Each cache has its own, so that a hanging disk doesn't block other caches; and each read takes the next free thread, so that a hanging file blocks
/// only one of them. The queues' threads exist only while there is work.
final class CacheThreads: Sendable {
  /// Maximum number of reads that wait for a thread; further ones fail at once, because the disk evidently doesn't answer.
  private static let waitingLimit = 1024
  static let readerCount = 3

  private struct Reading {
    /// Indices of the reading queues that have nothing to do.
    var idle = Array(0..<readerCount)
    /// Reads that wait for a thread, first come first served: those in `next`, from its end, then those in `rest`, from its start.
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

  /// How many reading threads are at work, or hang.
  var busyReaders: Int { readings.withLock { CacheThreads.readerCount - $0.idle.count } }

  /// Runs `body` on a reading thread and returns its result; nil if too many reads wait already.
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

  /// Runs on a reading thread: does one waiting read after the other, until there are none.
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

  /// Runs `body` later on the thread that writes received bodies, without waiting for it.
  func later(_ body: @escaping @Sendable () -> Void) { receiver.async(execute: body) }
}
