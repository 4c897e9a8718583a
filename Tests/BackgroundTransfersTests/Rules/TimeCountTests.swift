import BackgroundTransfers
import Foundation
import Testing

struct TimeCountTests {
  private static let noon = Date(timeIntervalSince1970: 1_800_000_000)

  private func reading(_ wall: Date, _ sinceBoot: Double, _ boot: String = "one") -> ClockReading {
    ClockReading(wall: wall, sinceBoot: sinceBoot, boot: boot)
  }

  private func count(from first: ClockReading, to second: ClockReading) -> Double {
    let begun = TimeCount(beginningAt: first)
    return begun.moment(second).timeIntervalSince(begun.count)
  }

  @Test(arguments: [-50 * 365 * 86_400, -10_800, 0, 10_800, 50 * 365 * 86_400] as [Double])
  func settingTheClockIsNoTime(_ change: Double) {
    let first = reading(Self.noon, 1000)
    let second = reading(Self.noon + 60 + change, 1060)
    #expect(count(from: first, to: second) == 60)
    let begun = TimeCount(beginningAt: first)
    #expect(begun.isSet(second) == (change != 0))
    let kept = begun.continued(second)
    #expect(!kept.isSet(second) && kept.offset == change)
    // What an app means by the wall clock comes when that shows it.
    #expect(kept.moment(wall: second.wall + 5) == kept.count + 5)
    #expect(kept.wall(kept.count) == second.wall)
  }

  @Test func clockThatIsKeptRightIsntSet() {
    let begun = TimeCount(beginningAt: reading(Self.noon, 1000))
    #expect(!begun.isSet(reading(Self.noon + 3600.4, 4600)))
  }

  @Test func timeIsCountedWhileTheMachineIsOff() {
    #expect(count(from: reading(Self.noon, 1000), to: reading(Self.noon + 86_400, 5, "two")) == 86_400)
    // Another run, though nothing names it.
    #expect(count(from: reading(Self.noon, 1000), to: reading(Self.noon + 86_400, 5)) == 86_400)
    #expect(count(from: reading(Self.noon, 1000), to: reading(Self.noon - 86_400, 5, "two")) == 0)
  }

  @Test func clockThatIsntSetYetTellsNothing() {
    let start = Date(timeIntervalSince1970: 100)
    #expect(count(from: reading(start, 1000), to: reading(Self.noon, 5, "two")) == 0)
    #expect(count(from: reading(Self.noon, 1000), to: reading(start, 5, "two")) == 0)
  }

  @Test func theSystemsReadingsGoOn() {
    let (first, second) = (ClockReading.system, ClockReading.system)
    #expect(first.boot == second.boot && !first.boot.isEmpty && first.sinceBoot <= second.sinceBoot && first.sinceBoot > 0)
  }
}
