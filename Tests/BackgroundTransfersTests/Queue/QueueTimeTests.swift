import BackgroundTransfers
import Foundation
import Testing

/// What becomes of the moments in the queue where the wall clock is set or the machine started.
@Suite(.timeLimit(.minutes(10))) struct QueueTimeTests {
  private func reading(_ wall: Date, _ sinceBoot: Double, _ boot: String = "one") -> ClockReading {
    ClockReading(wall: wall, sinceBoot: sinceBoot, boot: boot)
  }

  private func tasks(_ queue: TransferQueue, _ now: Date) throws -> [Int] {
    try queue.ready(now: now, limit: 9, excluding: []).map(\.order.task)
  }

  @Test func theCountGoesOnWithTheNextQueue() throws {
    let folder = QueueFolder()
    let first = try folder.open()
    #expect(try first.beginTime(reading(.noon, 10)).count == .noon)
    first.close()
    let second = try folder.open()
    let later = reading(.noon(-10_000), 70)
    #expect(try second.beginTime(later).moment(later) == .noon(60))
    second.close()
    let third = try folder.open()
    let again = reading(.noon(-9_000), 1, "two")
    #expect(try third.beginTime(again).moment(again) == .noon(1060))
  }

  @Test func aBeginningByTheWallClockMovesWithIt() throws {
    let folder = QueueFolder()
    let queue = try folder.open()
    _ = try queue.beginTime(reading(.noon, 10))
    let session = try queue.sessions.open(.sample("s"), now: .noon).identifier
    let identifier = try queue.addWaiting([1], to: session, earliest: .noon(3600))[0]
    let deadline = try #require(try queue.transfer(identifier)).deadline
    #expect(try tasks(queue, .noon(3599)) == [] && tasks(queue, .noon(3600)) == [1])
    // It is later than the clock has said.
    _ = try queue.followClock(reading(.noon(3000), 10))
    #expect(try tasks(queue, .noon(599)) == [] && tasks(queue, .noon(600)) == [1])
    #expect(try queue.transfer(identifier)?.deadline == deadline - 3000)
    #expect(try queue.transfer(identifier)?.order.earliestBegin == .noon(3600))
  }

  @Test func aBeginningThatTheClockPassesLeavesTheWholeTime() throws {
    let folder = QueueFolder()
    let queue = try folder.open()
    _ = try queue.beginTime(reading(.noon, 10))
    let session = try queue.sessions.open(.sample("s", timeout: 1000), now: .noon).identifier
    let identifier = try queue.addWaiting([1], to: session, earliest: .noon(86_400))[0]
    // Set forward by more than a day when 50,000 s have passed.
    _ = try queue.followClock(reading(.noon(200_000), 50_010))
    #expect(try queue.transfer(identifier)?.deadline == .noon(51_000))
    #expect(try tasks(queue, .noon(50_000)) == [1])
  }

  @Test func aStartOfTheMachineEndsPauses() throws {
    let folder = QueueFolder()
    let queue = try folder.open()
    _ = try queue.beginTime(reading(.noon, 10))
    let session = try queue.sessions.open(.sample("s"), now: .noon).identifier
    let added = try queue.addWaiting([1], to: session) + queue.addWaiting([2], to: session, earliest: .noon(3600))
    for identifier in added { try queue.keepAttempt(3, next: .noon(7200), reason: nil, identifier) }
    #expect(try tasks(queue, .noon(7199)) == [])
    queue.close()
    let next = try folder.open()
    _ = try next.beginTime(reading(Date(timeIntervalSince1970: 50), 5, "two"))
    #expect(try tasks(next, .noon) == [1])
  }
}
