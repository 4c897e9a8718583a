import LoadingModel

/// The timer that closes connections which have been idle for too long. Owned by the pool; confined to its event loop.
final class IdleSweep: @unchecked Sendable {
  // @unchecked: confined to `executor.eventLoop`.
  /// Seconds for which an idle connection is kept.
  static let lifetime = 60.0

  private let executor: LoopExecutor
  private let clock: any LoadClock
  private var wake: PlannedWake?

  init(executor: LoopExecutor, clock: any LoadClock) {
    self.executor = executor
    self.clock = clock
  }

  var isPlanned: Bool { wake != nil }

  /// Plans a call of `sweep` for when the connection that has been idle since `oldest` (in nanoseconds) reaches `lifetime`.
  ///
  /// - Parameter sweep: Given a time in nanoseconds: connections idle since then or longer are to be closed; nil if there can be none.
  func plan(since oldest: UInt64, _ sweep: @escaping @Sendable (_ deadline: UInt64?) -> Void) {
    wake = clock.plan(at: Instant(nanoseconds: oldest).advanced(bySeconds: IdleSweep.lifetime)) { [weak self, executor] in
      executor.eventLoop.execute { [weak self] in
        self?.wake = nil
        sweep(self?.deadline)
      }
    }
  }

  private var deadline: UInt64? {
    let age = UInt64(IdleSweep.lifetime * 1e9)
    let now = clock.now.nanoseconds
    return now >= age ? now - age : nil
  }

  func cancel() {
    wake?.cancel()
    wake = nil
  }
}
