import Foundation
import HTTPTransport
import LoadingModel
import NIOCore

/// Calls the app's delegates and completion handlers: every such call is posted here, and runs on the session's delegate queue, in order.
///
/// Each call is an operation of its own, added when the call before it has returned: blocks that the app adds to the queue in a callback run before
/// the next one. Calls share an operation only on the queue that the session made itself, and only while the app has put nothing there
/// (`SerialDelegateQueue`). A serial queue has one pump for the session; with a concurrent queue each task has its own, so that a task's calls stay
/// in order.
final class DelegatePump: Sendable {
  /// One posted call. A struct, because a closure stored directly as a buffer's element would be wrapped in a second, allocated closure.
  private struct Call: Sendable {
    let make: @Sendable () -> Void
  }

  private struct Pending {
    var calls = CircularBuffer<Call>(initialCapacity: 1)
    /// Whether an operation has been added to the queue that will make the next call.
    var isScheduled = false
  }

  /// The largest capacity, in calls, that the empty buffer keeps; a larger one is freed.
  private static let keptRoom = 64

  let queue: OperationQueue
  /// `queue`, if the session made it itself; nil if it is the app's.
  private let own: SerialDelegateQueue?
  private let executor: LoopExecutor?
  private let pending = Mutex(Pending())

  /// - Parameters:
  ///   - queue: The app's delegate queue; nil makes a serial one.
  ///   - executor: The event loop of the loads that post the calls: all calls posted in one turn of the loop wake the queue once. nil: each call
  ///     does.
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
    guard own != nil else { return queue.addOperation(DelegateOperation { [self] in run() }) }
    DelegateTurns.shared.begin { [self] in
      queue.addOperation(
        DelegateOperation { [self] in
          run()
          DelegateTurns.shared.end()
        })
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

  /// Whether another call is pending; if not, the next call that is posted has to add an operation.
  private func goesOn() -> Bool {
    pending.withLock { pending in
      guard pending.calls.isEmpty else { return true }
      pending.isScheduled = false
      if pending.calls.capacity > DelegatePump.keptRoom { pending.calls = CircularBuffer(initialCapacity: 1) }
      return false
    }
  }
}
