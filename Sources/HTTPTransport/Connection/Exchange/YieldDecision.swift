/// Whether an event loop gives up the processor before it sleeps, for those whom it has just woken: they often have the next load at once.
///
/// Where both run on one processor, the caller comes to its next load while the loop is still awake: it needn't wake the loop, which has not
/// gone to sleep. Where they have a processor each, or others want this one, that is of no use; it is then tried ever more rarely. A value,
/// confined to the loop.
struct YieldDecision {
  /// How often it isn't tried, at most, before it is tried again.
  static let longestPause = 1024
  /// Nanoseconds after which others than those who were woken have had the processor.
  static let patience: Int64 = 500_000

  /// How often in a row it was of no use.
  private var misses = 0
  private var pause = 0

  /// Whether it is tried this time.
  mutating func tries() -> Bool {
    guard pause > 0 else { return true }
    pause -= 1
    return false
  }

  /// - Parameters:
  ///   - wasUseful: Whether there was something to do afterwards.
  ///   - duration: Nanoseconds that it took.
  mutating func tried(_ wasUseful: Bool, duration: Int64) {
    guard duration <= YieldDecision.patience else {
      pause = YieldDecision.longestPause
      return
    }
    guard !wasUseful else {
      misses = 0
      return
    }
    // Once may be chance.
    if misses > 0 { pause = min(1 << misses, YieldDecision.longestPause) }
    misses = min(misses + 1, 10)
  }
}
