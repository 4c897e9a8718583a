import LoadingModel
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10)))
struct ManualClockTests {
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  private func arm(_ clock: ManualClock, in seconds: Double, _ action: @escaping @Sendable () -> Void) {
    clock.wake(at: clock.now.advanced(bySeconds: seconds), action)
  }

  @Test func wakesRunEarliestFirstWithTheClockAtTheirDeadline() {
    let clock = ManualClock()
    let log = Log()
    for seconds in [3.0, 1, 2, 5] { arm(clock, in: seconds) { log.add("\(seconds)@\(clock.elapsed)") } }
    #expect(clock.pendingWakes == [1, 2, 3, 5])
    #expect(clock.advance(by: 4) == 3)
    #expect(log.all == ["1.0@1.0", "2.0@2.0", "3.0@3.0"])
    #expect(clock.elapsed == 4)
    #expect(clock.pendingWakes == [1])
  }

  @Test func wakeArmedByAWakeRunsInTheSameAdvanceIfItIsDue() {
    let clock = ManualClock()
    let log = Log()
    clock.wake(at: clock.now.advanced(bySeconds: 1)) {
      log.add("first")
      clock.wake(at: clock.now.advanced(bySeconds: 1)) { log.add("second") }
    }
    clock.advance(by: 2)
    #expect(log.all == ["first", "second"])
  }

  @Test func endlessRearmingIsBounded() {
    let clock = ManualClock()
    @Sendable func rearm() { clock.wake(at: clock.now.advanced(bySeconds: 1e-9)) { rearm() } }
    rearm()
    #expect(clock.advance(by: 10) == 100_000)
    #expect(clock.elapsed == 10)
  }

  @Test func foreverIsNeverDue() {
    let clock = ManualClock()
    arm(clock, in: .infinity) {}
    #expect(clock.pendingWakes.isEmpty)
    #expect(!clock.advanceToNextWake())
  }

  @Test func nextWakeRunsWhateverItsDeadline() {
    let clock = ManualClock()
    for number in 1...2000 as ClosedRange<UInt64> {
      let deadline = Instant(nanoseconds: clock.now.nanoseconds + number * 1_000_003)
      clock.wake(at: deadline) {}
      #expect(clock.advanceToNextWake())
      #expect(clock.now == deadline)
    }
  }

  @Test func passedDeadlineRunsWithoutAdvancing() async {
    let clock = ManualClock()
    await withCheckedContinuation { continuation in
      arm(clock, in: 0) { continuation.resume() }
    }
  }

  @Test func waitForWakeReturnsOnceATimerIsArmed() async throws {
    let clock = ManualClock()
    arm(clock, in: 100) {}
    async let armed: Void = clock.waitForWake(within: 10)
    arm(clock, in: 5) {}
    try await armed
    #expect(clock.advanceToNextWake())
    #expect(clock.elapsed == 5)
  }

  @Test func wakesArmedWhileTheClockIsAdvancedAreNotMissed() async {
    for _ in 0..<500 {
      let clock = ManualClock()
      let deadline = clock.now.advanced(bySeconds: 1)
      let advance = Task { clock.advance(by: 1) }
      await withCheckedContinuation { continuation in clock.wake(at: deadline) { continuation.resume() } }
      _ = await advance.value
    }
  }
}
