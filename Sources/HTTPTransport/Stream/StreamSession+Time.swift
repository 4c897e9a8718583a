import LoadingModel
import NIOCore

// The time limits of reads and writes. They run while the session is open, and not while it connects, waits at a barrier or is suspended.

extension StreamSession {
  /// Restarts the limits of all operations, when the connection is established or a suspension has ended.
  func restartClocks() {
    guard moves else { return }
    for case .read(let read) in reads { startClock(of: read) }
    for case .write(let write) in writes { startClock(of: write) }
    for write in flying { startClock(of: write) }
  }

  func startClock(of operation: StreamOperation) {
    guard moves, let context else { return }
    operation.startClock(context.clock.now)
    if let deadline = operation.deadline { planLook(at: deadline, context) }
  }

  /// Plans one wake for the earliest deadline of all operations.
  private func planLook(at deadline: Instant, _ context: LoadContext) {
    if let plannedLook, plannedLook <= deadline { return }
    plannedLook = deadline
    context.clock.wake(at: deadline) { [weak self, executor] in
      executor.eventLoop.execute { [weak self] in self?.look(deadline) }
    }
  }

  private func look(_ wake: Instant) {
    guard plannedLook == wake else { return }
    plannedLook = nil
    guard moves, let context else { return }
    let now = context.clock.now
    var earliest: Instant?
    for operation in waiting {
      guard let deadline = operation.deadline else { continue }
      if deadline <= now {
        withdraw(operation, operation.timedOut)
      } else {
        earliest = min(earliest ?? deadline, deadline)
      }
    }
    if let earliest { planLook(at: earliest, context) }
  }

  private var waiting: [StreamOperation] {
    var all: [StreamOperation] = Array(flying)
    for case .read(let read) in reads { all.append(read) }
    for case .write(let write) in writes { all.append(write) }
    return all
  }
}
