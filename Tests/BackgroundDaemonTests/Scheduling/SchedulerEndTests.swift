import Testing

@testable import BackgroundDaemon

/// Deadlines, cancellations and ends, in each phase that a transfer may be in.
@Suite struct SchedulerEndTests {
  @Test(arguments: SchedulerBench.phases) func deadlineStopsTasksAndEndsWhatHasNone(phase: TransferPhase?) {
    let expected: TransferScheduler.Ending =
      switch phase?.kind {
      case .settling, .ending: .none
      case .running: .stopsTask
      case .asking, .checking, .retrying, .held, nil: .endsAtOnce
      }
    #expect(SchedulerBench.scheduler(phase).expires(1) == expected)
  }

  @Test(arguments: SchedulerBench.phases) func cancellationEndsAtOnceWhateverIsntComplete(phase: TransferPhase?) {
    let isComplete = phase?.kind == .settling || phase?.kind == .ending
    #expect(SchedulerBench.scheduler(phase).cancels(1, wantsResumeData: false) == (isComplete ? .none : .endsAtOnce))
  }

  @Test(arguments: SchedulerBench.phases) func cancellationWithResumeDataWaitsForTheTaskThatHasIt(phase: TransferPhase?) {
    let expected: TransferScheduler.Ending =
      switch phase?.kind {
      case .settling, .ending: .none
      case .running: .stopsTask
      case .asking, .checking, .retrying, .held, nil: .endsAtOnce
      }
    #expect(SchedulerBench.scheduler(phase).cancels(1, wantsResumeData: true) == expected)
  }

  @Test(arguments: SchedulerBench.phases) func forgottenTransferLeavesWhatEndsByItself(phase: TransferPhase?) {
    var scheduler = SchedulerBench.scheduler(phase)
    let forgetting = scheduler.forget(1)
    switch phase?.kind {
    case .running: #expect(forgetting == .stopsTask && scheduler.phases[1] == phase)
    case .checking, .settling: #expect(forgetting == .isLeft && scheduler.phases[1] == phase)
    case .asking: #expect(forgetting == .withdraws(question: 7) && scheduler.phases.isEmpty)
    case .ending: #expect(forgetting == .dropsEnd && scheduler.phases.isEmpty)
    case .retrying, .held, nil: #expect(forgetting == .isLeft && scheduler.phases.isEmpty)
    }
  }

  @Test(arguments: SchedulerBench.phases) func finishedTransferWaitsForNothing(phase: TransferPhase?) {
    var scheduler = SchedulerBench.scheduler(phase)
    scheduler.finished(1)
    let waits = phase?.kind == .retrying || phase?.kind == .held
    #expect(scheduler.phases[1] == (waits ? nil : phase))
    #expect(scheduler.waitingForNetwork.isEmpty && scheduler.nextRelease == nil)
  }

  @Test func endStaysUntilTheDiskHasIt() {
    var scheduler = SchedulerBench.running(1)
    scheduler.completed(1)
    scheduler.ends(1)
    #expect(scheduler.isAtRest && !scheduler.isIdle && scheduler.tally.failedEnds == 0)
    scheduler.endHasFailed(1)
    #expect(!scheduler.isIdle && scheduler.tally.failedEnds == 1)
    scheduler.endIsKept(1)
    #expect(scheduler.isIdle && scheduler.tally == SchedulerTally())
  }

  @Test(arguments: SchedulerBench.phases) func endOfAnotherPhaseIsNoEnd(phase: TransferPhase?) {
    guard phase?.kind != .ending else { return }
    var scheduler = SchedulerBench.scheduler(phase)
    scheduler.endHasFailed(1)
    scheduler.endIsKept(1)
    #expect(scheduler.phases[1] == phase)
  }

  @Test(arguments: SchedulerBench.phases) func completionConcernsTransfersWithATask(phase: TransferPhase?) {
    var scheduler = SchedulerBench.scheduler(phase)
    scheduler.completed(1)
    #expect(scheduler.phases[1] == (phase?.kind == .running ? nil : phase))
  }

  @Test func settledFileIsNoLongerAwaited() {
    var scheduler = SchedulerBench.running(1)
    scheduler.completed(1)
    scheduler.settles(1)
    #expect(!scheduler.isAtRest && scheduler.tally.active == 0)
    scheduler.settled(1)
    #expect(scheduler.isAtRest)
  }

  @Test func expiredTransferIsNotBegunByTheAnswerOfItsDisk() {
    var scheduler = SchedulerBench.scheduler()
    let isChecked = scheduler.checks(1, of: 1)
    #expect(isChecked)
    #expect(scheduler.expires(1) == .endsAtOnce)
    scheduler.ends(1)
    let answer = scheduler.checked(1)
    #expect(answer == .isGone)
    #expect(scheduler.phases[1] == .ending(hasFailed: false))
  }
}
