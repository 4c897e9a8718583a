import Foundation
import Stores
import Testing

@testable import BackgroundTransfers

/// Which transfers may begin, and when.
@Suite(.timeLimit(.minutes(10))) struct ReadyTransferTests {
  private let folder = QueueFolder()

  private func ready(_ queue: TransferQueue, _ now: Date = .noon, limit: Int = 100, running: Set<Int64> = []) throws -> [Int] {
    try queue.ready(now: now, limit: limit, excluding: running).map(\.order.task)
  }

  @Test func higherPriorityComesFirstThenTheOlder() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    try queue.addWaiting(1...3, to: session)
    try queue.addWaiting([4], to: session, priority: 1)
    try queue.addWaiting([5], to: session, priority: 0)
    #expect(try ready(queue) == [4, 1, 2, 3, 5])
    #expect(try ready(queue, limit: 2) == [4, 1])
    #expect(try ready(queue, limit: 0) == [])
  }

  @Test func sessionsTakeTurns() throws {
    let queue = try folder.open()
    let many = try queue.sessions.open(.sample("many")).identifier
    let few = try queue.sessions.open(.sample("few")).identifier
    let first = try queue.addWaiting(1...50, to: many)
    try queue.addWaiting(101...103, to: few)
    #expect(try ready(queue, limit: 6) == [1, 101, 2, 102, 3, 103])
    #expect(try ready(queue, limit: 5, running: Set(first[0..<2])) == [101, 102, 3, 103, 4])
    #expect(try ready(queue, limit: 60).count == 53)
  }

  @Test func suspendedRunningAndLaterOnesAreLeftOut() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let added = try queue.addWaiting(1...4, to: session)
    try queue.addWaiting([5], to: session, earliest: .noon(100))
    try queue.setSuspended(true, added[0])
    try queue.keepAttempt(1, next: .noon(30), reason: "timeout", added[1])
    #expect(try ready(queue, running: [added[2]]) == [4])
    #expect(try queue.nextMoment(after: .noon) == .noon(30))
    #expect(try ready(queue, .noon(30)) == [3, 4, 2])
    #expect(try queue.nextMoment(after: .noon(30)) == .noon(100))
    #expect(try ready(queue, .noon(100)) == [3, 4, 5, 2])
    #expect(try queue.nextMoment(after: .noon(100)) == nil)
    try queue.keepAttempt(1, next: nil, reason: nil, added[1])
    #expect(try ready(queue) == [3, 4, 2])
  }

  /// A server that hangs has all its transfers come back from failed attempts, older than those that haven't begun.
  @Test func transfersThatHaveFailedComeBehindThoseThatHaveNot() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let added = try queue.addWaiting(1...6, to: session)
    for (index, attempts) in [(0, 3), (1, 1), (2, 2)] { try queue.keepAttempt(attempts, next: nil, reason: nil, added[index]) }
    #expect(try ready(queue) == [4, 5, 6, 2, 3, 1])
    #expect(try ready(queue, limit: 2) == [4, 5])
    #expect(try ready(queue, limit: 2, running: Set(added[3...])) == [2, 3])
    let urgent = try queue.addWaiting([7], to: session, priority: 1)[0]
    try queue.keepAttempt(9, next: nil, reason: nil, urgent)
    #expect(try ready(queue, limit: 2) == [7, 4])
  }

  @Test func olderFileGetsTheIndexInTheOrderOfTurns() throws {
    let file = TransferQueue.sampleFile(in: folder.url)
    func raw() throws -> StoreDatabase { try StoreDatabase(url: file, migrations: QueueTables.register) }
    let before = try folder.open()
    let session = try before.sessions.open(.sample()).identifier
    let added = try before.addWaiting(1...3, to: session)
    try before.keepAttempt(1, next: nil, reason: nil, added[0])
    before.close()
    let older = "CREATE INDEX transfers_waiting ON transfers (session, priority DESC, identifier, ready) WHERE state = 0"
    try raw().write {
      try $0.execute(sql: "DROP INDEX transfers_waiting; \(older); DELETE FROM grdb_migrations WHERE identifier = '6'")
    }
    let queue = try folder.open()
    #expect(try ready(queue) == [2, 3, 1])
    queue.close()
    let index = try raw().write { database in
      try database.rows("SELECT sql FROM sqlite_schema WHERE name = 'transfers_waiting'").first?.value(0, String.self)
    }
    #expect(index?.contains("attempts") == true)
  }

  @Test func aLaterBeginningHoldsWhenAnAttemptHasFailed() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let identifier = try queue.addWaiting([1], to: session)[0]
    try queue.keepAttempt(1, next: .noon(10), reason: nil, identifier)
    var change = TransferChange()
    change.earliestBegin = .noon(50)
    try queue.change(change, identifier, now: .noon)
    #expect(try queue.nextMoment(after: .noon) == .noon(50))
    try queue.keepAttempt(2, next: .noon(20), reason: nil, identifier)
    #expect(try queue.nextMoment(after: .noon) == .noon(50))
    #expect(try queue.transfer(identifier)?.waitingSince == .noon(50))
  }

  @Test func deadlinesCountFromTheEarliestBeginning() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample(timeout: 1000)).identifier
    let now = try queue.addWaiting([1], to: session)[0]
    let later = try queue.addWaiting([2], to: session, earliest: .noon(500))[0]
    try queue.setSuspended(true, now)
    #expect(try queue.nextDeadline() == .noon(1000))
    #expect(try queue.overdue(now: .noon(999)) == [])
    #expect(try queue.overdue(now: .noon(1000)) == [now])
    #expect(try queue.overdue(now: .noon(1500)) == [now, later])
    _ = try queue.finish(now, .failure("timeout"), now: .noon(1000))
    #expect(try queue.overdue(now: .noon(1500)) == [later])
    #expect(try queue.nextDeadline() == .noon(1500))
  }

  @Test func deadlinesCountFromTheFirstResume() throws {
    let queue = try folder.open()
    _ = try queue.beginTime(ClockReading(wall: .noon, sinceBoot: 10, boot: "one"))
    let session = try queue.sessions.open(.sample(timeout: 1000)).identifier
    var later = TransferOrder.sample(2)
    later.earliestBegin = .noon(500)
    let (one, two) = (
      try queue.add(.sample(1), to: session, now: .noon).identifier, try queue.add(later, to: session, now: .noon).identifier
    )
    var change = TransferChange()
    change.earliestBegin = .noon(600)
    try queue.change(change, two, now: .noon)
    _ = try queue.followClock(ClockReading(wall: .noon(-100), sinceBoot: 10, boot: "one"))
    #expect(try queue.nextDeadline() == nil)
    #expect(try queue.overdue(now: .noon(1_000_000)) == [])
    try queue.setSuspended(false, one, now: .noon(5000))
    #expect(try queue.nextDeadline() == .noon(6000))
    // From then on it is bounded, whatever the app does.
    try queue.setSuspended(true, one)
    try queue.setSuspended(false, one, now: .noon(5500))
    #expect(try queue.transfer(one)?.deadline == .noon(6000))
    try queue.setSuspended(false, two, now: .noon(200))
    #expect(try queue.transfer(two)?.deadline == .noon(1700))
  }

  /// A day's wait for the earliest beginning ends early: the whole timeout of 1000 s follows.
  @Test(arguments: [(-86_400.0, 51_000.0), (50_500, 51_500), (100_000, 101_000)])
  func aTransferThatMayBeginEarlierHasItsWholeTime(earliest: Double, deadline: Double) throws {
    let queue = try folder.open()
    _ = try queue.beginTime(ClockReading(wall: .noon, sinceBoot: 10, boot: "one"))
    let session = try queue.sessions.open(.sample(timeout: 1000)).identifier
    let identifier = try queue.addWaiting([1], to: session, earliest: .noon(86_400))[0]
    var change = TransferChange()
    change.earliestBegin = earliest < 0 ? .distantPast : .noon(earliest)
    try queue.change(change, identifier, now: .noon(50_000))
    #expect(try queue.transfer(identifier)?.deadline == .noon(deadline))
    #expect(try queue.overdue(now: .noon(50_000)) == [])
    // The wait is over: a change doesn't make the time longer.
    change.earliestBegin = .distantPast
    try queue.change(change, identifier, now: .noon(150_000))
    #expect(try queue.transfer(identifier)?.deadline == .noon(deadline))
  }

  @Test func whatAnEarlierVersionHasBegunIsBounded() throws {
    let (queue, clock) = (try folder.open(), ClockReading(wall: .noon, sinceBoot: 10, boot: "one"))
    _ = try queue.beginTime(clock)
    let session = try queue.sessions.open(.sample(timeout: 1000)).identifier
    let added = try (1...3).map { try queue.add(.sample($0), to: session, now: .noon).identifier }
    // It knows nothing of `begun`: it resumes the first one, and has made the second with a deadline.
    try queue.perform { database in
      try database.run("UPDATE transfers SET state = 0, resumed = \(Date.noon(100).stored) WHERE identifier = \(added[0])")
      try database.run("UPDATE transfers SET deadline = \(Date.noon(1000).stored) WHERE identifier = \(added[1])")
    }
    var change = TransferChange()
    change.priority = 1
    try queue.change(change, added[1], now: .noon)
    #expect(try queue.transfer(added[1])?.deadline == .noon(1000))
    queue.close()
    let next = try folder.open()
    _ = try next.beginTime(clock)
    #expect(try next.transfer(added[0])?.deadline == .noon(1100))
    #expect(try next.transfer(added[1])?.deadline == .noon(1000))
    #expect(try next.overdue(now: .noon(1_000_000)) == [added[1], added[0]])
    change.earliestBegin = .noon(500)
    try next.change(change, added[1], now: .noon)
    #expect(try next.transfer(added[1])?.deadline == .noon(1500))
    // The third hasn't begun.
    try next.setSuspended(false, added[2], now: .noon(2000))
    #expect(try next.transfer(added[2])?.deadline == .noon(3000))
  }

  @Test func clearedValuesAreNone() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample(timeout: 1000)).identifier
    var order = TransferOrder.sample(1)
    (order.earliestBegin, order.description) = (.noon(500), "described")
    let identifier = try queue.add(order, to: session, now: .noon).identifier
    try queue.setSuspended(false, identifier, now: .noon)
    var change = TransferChange()
    (change.earliestBegin, change.description) = (.distantPast, "")
    try queue.change(change, identifier, now: .noon)
    let transfer = try #require(try queue.ready(now: .noon, limit: 1, excluding: []).first)
    #expect(transfer.order.earliestBegin == nil && transfer.order.description == nil)
    #expect(transfer.deadline == .noon(1000))
  }

  @Test func anUploadExpectsToSendItsFile() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    var order = TransferOrder.sample(1)
    order.kind = .upload
    order.source = SourceFile(path: "/source", device: 1, inode: 2, size: 77, modified: 4)
    let made = try queue.add(order, to: session, now: .noon)
    #expect(made.progress.expectedToSend == 77)
    #expect(try queue.transfer(made.identifier)?.progress.expectedToSend == 77)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300])
  func strangeTimesAreKeptInRange(_ seconds: Double) throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample(timeout: seconds)).identifier
    let identifier = try queue.addWaiting([1], to: session, earliest: Date(timeIntervalSince1970: seconds))[0]
    let transfer = try #require(try queue.transfer(identifier))
    #expect(transfer.deadline.timeIntervalSince1970.isFinite)
    _ = try queue.ready(now: Date(timeIntervalSince1970: seconds), limit: 1, excluding: [])
  }

  @Test func tenThousandTransfersAreQueuedAndListed() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let added = try queue.addWaiting(1...10_000, to: session)
    let again = try folder.open()
    #expect(try ready(again, limit: 3, running: Set(added.prefix(2))) == [3, 4, 5])
    #expect(try again.reports.counts() == (10_000, 0, 0))
    #expect(try again.reports.transfers().count == 10_000)
    #expect(try again.transfers(of: session).last?.order.task == 10_000)
    try again.transaction { queue in
      for identifier in added { _ = try queue.finish(identifier, .success(file: "/f"), now: .noon) }
    }
    #expect(try again.events(of: session).map(\.identifier) == added)
    #expect(try again.take(added, of: session).count == 10_000)
    #expect(try again.reports.counts() == (0, 0, 0))
  }
}
