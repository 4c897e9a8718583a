import Foundation
import HTTPTransport
import LoadingModel
import NIOCore

/// The one place from which user code runs: posts calls to the session's delegate queue, in order.
///
/// Each call is an operation of its own, added when the call before it has returned: what the app puts on the queue in a callback runs before
/// the next one. Calls share an operation only on the queue that the session made itself, and only while the app has put nothing there
/// (`SerialDelegateQueue`). A serial queue has one pump for the session; with a concurrent queue each task has its own, so that a task's
/// calls stay in order.
final class DelegatePump: Sendable {
  /// In a struct, because a function that is a buffer's element itself is wrapped into another one, which is allocated.
  private struct Call: Sendable {
    let make: @Sendable () -> Void
  }

  private struct Pending {
    var calls = CircularBuffer<Call>(initialCapacity: 1)
    /// Whether there is an operation that makes the next call.
    var isScheduled = false
  }

  /// Calls for which room is kept.
  private static let keptRoom = 64

  let queue: OperationQueue
  /// `queue`, if the session made it.
  private let own: SerialDelegateQueue?
  private let executor: LoopExecutor?
  private let pending = Mutex(Pending())

  /// - Parameters:
  ///   - queue: The app's; nil makes one.
  ///   - executor: Of the loads whose calls it makes: what they post in one turn of their event loop wakes the queue once.
  init(_ queue: OperationQueue? = nil, of executor: LoopExecutor? = nil) {
    self.executor = executor
    own = queue == nil ? SerialDelegateQueue() : nil
    self.queue = queue ?? own ?? OperationQueue()
  }

  var isSerial: Bool { queue.maxConcurrentOperationCount == 1 }

  func post(_ call: @escaping @Sendable () -> Void) {
    let mustSchedule = pending.withLock { pending in
      pending.calls.append(Call(make: call))
      defer { pending.isScheduled = true }
      return !pending.isScheduled
    }
    guard mustSchedule else { return }
    if let executor { executor.runAfterJobs(schedule) } else { schedule() }
  }

  @Sendable private func schedule() {
    guard own != nil else { return queue.addOperation { [self] in run() } }
    DelegateTurns.shared.begin { [self] in
      queue.addOperation { [self] in
        run()
        DelegateTurns.shared.end()
      }
    }
  }

  private func run() {
    while let call = pending.withLock({ $0.calls.popFirst() }) {
      let uses = own?.uses
      call.make()
      guard goesOn() else { return }
      guard let own, own.uses == uses else { return schedule() }
    }
  }

  /// Whether there is another call to make; if not, the next one posted needs an operation.
  private func goesOn() -> Bool {
    pending.withLock { pending in
      guard pending.calls.isEmpty else { return true }
      pending.isScheduled = false
      if pending.calls.capacity > DelegatePump.keptRoom { pending.calls = CircularBuffer(initialCapacity: 1) }
      return false
    }
  }
}
