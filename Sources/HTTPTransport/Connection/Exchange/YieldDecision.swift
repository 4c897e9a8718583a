/// Decides whether an event loop gives up the processor (sched_yield) before it sleeps, for the threads that it has just woken: they often start the
/// next load at once.
///
/// If loop and caller share one processor, the caller then starts its next load while the loop is still awake, and needn't wake it. If each has a
/// processor of its own, or other threads want this one, yielding is useless; it is then tried ever more rarely. A value, confined to the loop.
struct YieldDecision {
  /// The most calls of `tries` in a row that return false before yielding is tried again.
  static let longestPause = 1024
  /// If a yield takes longer than this many nanoseconds, the processor was given to threads other than those that were woken.
  static let patience: Int64 = 500_000

  /// The number of useless yields in a row.
  private var misses = 0
  private var pause = 0

  /// Whether to yield this time.
  mutating func tries() -> Bool {
    guard pause > 0 else { return true }
    pause -= 1
    return false
  }

  /// Notes the result of a yield.
  /// - Parameters:
  /// - wasUseful: Whether jobs had been enqueued afterwards.
  /// - duration: How long the yield took, in nanoseconds.
  mutating func tried(_ wasUseful: Bool, duration: Int64) {
    guard duration <= YieldDecision.patience else {
      pause = YieldDecision.longestPause
      return
    }
    guard !wasUseful else {
      misses = 0
      return
    }
    // A single useless yield may be chance: the next one is still tried.
    if misses > 0 { pause = min(1 << misses, YieldDecision.longestPause) }
    misses = min(misses + 1, 10)
  }
}
