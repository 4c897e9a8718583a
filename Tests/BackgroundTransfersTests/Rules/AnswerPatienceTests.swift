import Foundation
import Testing

@testable import BackgroundTransfers

struct AnswerPatienceTests {
  private let start = ContinuousClock.now

  /// When a peer is given up that is looked at each second.
  private func seconds(_ reading: (Int) -> ProcessPulse?) -> Int? {
    var watch = AnswerWatch(AnswerPatience(), now: start)
    return (1...100).first { watch.isOver(reading($0), now: start + .seconds($0)) }
  }

  @Test func processThatDoesNothingIsGivenUpSoon() {
    #expect(seconds { _ in ProcessPulse(isBusy: false, ticks: 7) } == 4)
  }

  @Test func busyProcessHasMoreTime() {
    #expect(seconds { _ in ProcessPulse(isBusy: true, ticks: 7) } == 30)
    #expect(seconds { ProcessPulse(isBusy: false, ticks: UInt64($0)) } == 30)
    // It has worked for a while, and hangs since then.
    #expect(seconds { ProcessPulse(isBusy: false, ticks: UInt64(min($0, 10))) } == 13)
  }

  @Test func processThatCantBeSeenHasTenSeconds() { #expect(seconds { _ in nil } == 10) }

  @Test func progressBeginsTheTimeAnew() {
    var watch = AnswerWatch(AnswerPatience(), now: start)
    let idle = ProcessPulse(isBusy: false, ticks: 7)
    let before = (1...3).map { watch.isOver(idle, now: start + .seconds($0)) }
    watch.hasMoved(now: start + .seconds(3))
    let after = (4...6).map { watch.isOver(idle, now: start + .seconds($0)) }
    #expect(before == [false, false, false] && after == [false, false, true])
  }

  @Test func timeInWhichTheWaitingProcessWasStoppedDoesntCount() {
    var watch = AnswerWatch(AnswerPatience(), now: start)
    let idle = ProcessPulse(isBusy: false, ticks: 7)
    let looks = [1, 2, 1000, 1001].map { watch.isOver(idle, now: start + .seconds($0)) }
    #expect(looks == [false, false, false, true])
  }

  @Test func thisProcessIsSeen() throws {
    let pulse = try #require(ProcessPulse(of: getpid()))
    #expect(pulse.isBusy)
    #expect(ProcessPulse(of: 0) == nil)
    // A service manager isn't the daemon.
    #expect(ProcessPulse(ofDaemon: getpid()) == nil)
  }
}
