import Testing

@testable import urlload

/// The order of a run's loads, and what is told of them.
@Suite struct FetchScheduleTests {
  private func told(_ telling: FetchSchedule.Telling) -> String {
    switch telling {
    case .nothing: ""
    case .failure(let failure): failure.message
    case .unlessTold(let failure): "once: \(failure.message)"
    }
  }

  @Test func loadsBeginInOrderAndEachFailureIsTold() {
    var schedule = FetchSchedule(count: 3)
    #expect(schedule.next() == 0)
    #expect(schedule.next() == 1)
    #expect(told(schedule.ended(1, ToolFailure(.timedOut, "late"), isInterrupted: false)) == "late")
    #expect(schedule.next() == 2)
    #expect(told(schedule.ended(0, nil, isInterrupted: false)) == "")
    #expect(schedule.next() == nil)
    #expect(schedule.failures.keys.sorted() == [1])
  }

  @Test func fileThatCannotBeWrittenIsToldWhicheverLoadEndsFirstAfterASignal() {
    var schedule = FetchSchedule(count: 4)
    for _ in 0..<3 { _ = schedule.next() }
    #expect(told(schedule.ended(0, ToolFailure(.other, "cancelled"), isInterrupted: true)) == "")
    #expect(told(schedule.ended(2, ToolFailure(.writeFailed, "full"), isInterrupted: true)) == "once: full")
    #expect(told(schedule.ended(1, ToolFailure(.writeFailed, "gone"), isInterrupted: true)) == "once: gone")
    #expect(schedule.failures.keys.sorted() == [0, 1, 2])
  }

  @Test func noLoadBeginsAfterASignalEvenIfOneSucceeds() {
    var schedule = FetchSchedule(count: 3)
    #expect(schedule.next() == 0)
    #expect(told(schedule.ended(0, nil, isInterrupted: true)) == "")
    #expect(schedule.next() == nil)
    #expect(schedule.failures.isEmpty)
  }
}
