import LoadingModel
import NIOCore

/// The system's monotonic clock, with wakes on an event loop.
package struct SystemClock: LoadClock {
  private let eventLoop: any EventLoop

  package init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
  }

  package var now: Instant { Instant(nanoseconds: NIODeadline.now().uptimeNanoseconds) }

  package func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) {
    let bounded = min(deadline.nanoseconds, UInt64(Int64.max))
    eventLoop.scheduleTask(deadline: .uptimeNanoseconds(bounded)) { action() }
  }
}
