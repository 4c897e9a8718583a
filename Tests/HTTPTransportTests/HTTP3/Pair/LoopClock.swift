#if HTTP3
  import LoadingModel
  import NIOCore
  import NIOEmbedded

  /// A session's clock whose time is that of an event loop in memory.
  final class LoopClock: LoadClock, @unchecked Sendable {
    // @unchecked: used by one test, step by step.
    private let loop: EmbeddedEventLoop
    /// Wakes that were planned, and have neither run nor been cancelled.
    private(set) var planned = 0

    init(_ loop: EmbeddedEventLoop) { self.loop = loop }

    var now: Instant { Instant(nanoseconds: loop.now.uptimeNanoseconds) }

    func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) {
      loop.scheduleTask(deadline: .uptimeNanoseconds(deadline.nanoseconds), action)
    }

    func plan(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> PlannedWake {
      planned += 1
      let state = Planned()
      let scheduled = loop.scheduleTask(deadline: .uptimeNanoseconds(deadline.nanoseconds)) {
        self.end(state)
        action()
      }
      return PlannedWake {
        self.end(state)
        scheduled.cancel()
      }
    }

    private final class Planned: @unchecked Sendable {
      // @unchecked: as the clock.
      var isOver = false
    }

    private func end(_ wake: Planned) {
      if !wake.isOver { planned -= 1 }
      wake.isOver = true
    }
  }
#endif
