import LoadingModel
import NIOCore

/// The system's monotonic clock, with wakes on an event loop.
package struct SystemClock: LoadClock {
  private let eventLoop: any EventLoop

  package init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
  }

  /// A clock for work that belongs to no session's event loop.
  package init() { self.init(EventLoops.any()) }

  package var now: Instant { Instant(nanoseconds: NIODeadline.now().uptimeNanoseconds) }

  package func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) { _ = schedule(deadline, action) }

  package func plan(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> PlannedWake {
    let scheduled = schedule(deadline, action)
    return PlannedWake { scheduled.cancel() }
  }

  private func schedule(_ deadline: Instant, _ action: @escaping @Sendable () -> Void) -> Scheduled<Void> {
    let bounded = min(deadline.nanoseconds, UInt64(Int64.max))
    return eventLoop.scheduleTask(deadline: .uptimeNanoseconds(bounded)) { action() }
  }
}
