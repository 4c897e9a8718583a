import Foundation
import Testing

@testable import BackgroundDaemon

/// From a row of the queue to a task.
@Suite struct SchedulerBeginningTests {
  @Test func appIsAskedOnce() {
    var scheduler = SchedulerBench.scheduler()
    #expect(scheduler.mayAsk(before: 1))
    scheduler.asks(before: 1, question: 3)
    scheduler.answered(1)
    #expect(!scheduler.mayAsk(before: 1) && scheduler.mayAsk(before: 2))
    scheduler.finished(1)
    #expect(scheduler.mayAsk(before: 1))
  }

  @Test func askedTransferTakesNoPlaceAndIsntBegunAgain() throws {
    var scheduler = SchedulerBench.scheduler()
    scheduler.asks(before: 1, question: 3)
    let offered = scheduler.room(SchedulerBench.now)
    let room = try #require(offered)
    #expect(room.free == 4 && room.busy == [1] && room.shares.isEmpty)
  }

  @Test(arguments: SchedulerBench.phases) func answerConcernsTransfersThatAreAskedAbout(phase: TransferPhase?) {
    var scheduler = SchedulerBench.scheduler(phase)
    scheduler.answered(1)
    #expect(scheduler.phases[1] == (phase?.kind == .asking ? nil : phase))
  }

  @Test(arguments: SchedulerBench.phases) func sourceIsLookedAtUnlessTheTransferHasGotFurther(phase: TransferPhase?) {
    var scheduler = SchedulerBench.scheduler(phase)
    let isFurther = [.running, .settling, .ending].contains(phase?.kind)
    let isChecked = scheduler.checks(1, of: 1)
    #expect(isChecked == !isFurther)
    #expect(scheduler.phases[1] == (isFurther ? phase : .checking(session: 1, hangs: false)))
  }

  @Test(arguments: SchedulerBench.phases) func answerOfTheDiskCountsForTransfersThatWaitForIt(phase: TransferPhase?) {
    var scheduler = SchedulerBench.scheduler(phase)
    let end = scheduler.checked(1)
    if phase?.kind == .checking {
      #expect(end == .begins && scheduler.phases.isEmpty)
    } else {
      #expect(end == .isGone && scheduler.phases[1] == phase)
    }
  }

  @Test func diskThatHangsGivesThePlaceToAnotherAndKeepsTheShare() {
    var scheduler = SchedulerBench.scheduler()
    _ = scheduler.checks(1, of: 5)
    #expect(scheduler.tally.active == 1)
    let hangs = scheduler.checkHangs(1)
    #expect(hangs)
    #expect(scheduler.tally.active == 0 && scheduler.tally.shares == [5: 1] && !scheduler.isAtRest)
    let hangsAgain = scheduler.checkHangs(1)
    #expect(!hangsAgain)
  }

  @Test(arguments: SchedulerBench.phases) func whatIsntCheckedDoesntHang(phase: TransferPhase?) {
    var scheduler = SchedulerBench.scheduler(phase)
    let hangs = scheduler.checkHangs(1)
    #expect(hangs == (phase == .checking(session: 1, hangs: false)))
  }

  @Test(arguments: [(3, TransferScheduler.CheckEnd.begins), (4, .hasLostItsPlace), (5, .hasLostItsPlace)])
  func transferWhoseDiskHungBeginsWhereAPlaceIsLeft(running: Int, expected: TransferScheduler.CheckEnd) {
    var scheduler = SchedulerBench.running(running)
    _ = scheduler.checks(9, of: 1)
    _ = scheduler.checkHangs(9)
    let answer = scheduler.checked(9)
    #expect(answer == expected)
  }

  @Test func transferWhoseDiskAnsweredInTimeBeginsInItsOwnPlace() {
    var scheduler = SchedulerBench.running(3)
    _ = scheduler.checks(9, of: 1)
    let answer = scheduler.checked(9)
    #expect(answer == .begins)
  }

  @Test func beginningEndsTheWaitForTheNetwork() {
    var scheduler = SchedulerBench.scheduler(.retrying(attempts: 2))
    scheduler.starts(1, of: 1, size: 10)
    #expect(scheduler.waitingForNetwork.isEmpty && scheduler.isRunning(1))
  }

  @Test func transferThatWaitsForTheNetworkMayBeBegun() throws {
    var scheduler = SchedulerBench.scheduler(.retrying(attempts: 2))
    let offered = scheduler.room(SchedulerBench.now)
    #expect(try #require(offered).busy.isEmpty)
    #expect(scheduler.isIdle)
  }

  @Test func pauseThatTheDiskHasntTakenIsKept() throws {
    var scheduler = SchedulerBench.scheduler()
    let end = SchedulerBench.now + 2
    scheduler.retries(1, attempts: 2)
    scheduler.holds(1, until: end)
    scheduler.holds(2, until: end + 1)
    #expect(scheduler.nextRelease == end)
    let offered = scheduler.room(SchedulerBench.now)
    #expect(try #require(offered).busy == [1, 2])
    let later = scheduler.room(end)
    #expect(try #require(later).busy == [2])
    #expect(scheduler.nextRelease == end + 1 && scheduler.phases == [1: .retrying(attempts: 2), 2: .held(until: end + 1, attempts: nil)])
    let last = scheduler.room(end + 1)
    #expect(try #require(last).busy.isEmpty)
  }

  @Test func changeOfTheNetworkEndsItsWaitsAndNoPauseOfTheDisk() {
    var scheduler = SchedulerBench.scheduler()
    scheduler.retries(1, attempts: 2)
    scheduler.retries(2, attempts: 5)
    scheduler.holds(2, until: SchedulerBench.now)
    scheduler.holds(3, until: SchedulerBench.now)
    scheduler.starts(4, of: 1, size: 1)
    let waiting = scheduler.waitingForNetwork
    #expect(waiting == [1: 2, 2: 5])
    scheduler.endWaits(for: waiting.keys)
    #expect(scheduler.waitingForNetwork.isEmpty && scheduler.phases[1] == nil && scheduler.phases[2]?.kind == .held)
    #expect(scheduler.phases[3]?.kind == .held && scheduler.isRunning(4))
  }
}
