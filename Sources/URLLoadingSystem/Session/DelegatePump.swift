import Foundation
import LoadingModel

/// The one place from which user code runs: posts calls to the session's delegate queue, in order.
///
/// Calls posted before the queue gets round to them share one operation. A serial queue has one pump for the session; with a concurrent
/// queue each task has its own, so that a task's calls stay in order.
final class DelegatePump: Sendable {
  private struct Pending {
    var calls: [@Sendable () -> Void] = []
    var isScheduled = false
  }

  let queue: OperationQueue
  private let pending = Mutex(Pending())

  init(_ queue: OperationQueue) { self.queue = queue }

  var isSerial: Bool { queue.maxConcurrentOperationCount == 1 }

  func post(_ call: @escaping @Sendable () -> Void) {
    let mustSchedule = pending.withLock { pending in
      pending.calls.append(call)
      defer { pending.isScheduled = true }
      return !pending.isScheduled
    }
    if mustSchedule { schedule() }
  }

  private func schedule() {
    queue.addOperation { [self] in
      // One batch per operation: others who use the queue get their turn.
      let batch = pending.withLock { pending in
        defer { pending.calls = [] }
        return pending.calls
      }
      for call in batch { call() }
      let goesOn = pending.withLock { pending in
        pending.isScheduled = !pending.calls.isEmpty
        return pending.isScheduled
      }
      if goesOn { schedule() }
    }
  }
}
