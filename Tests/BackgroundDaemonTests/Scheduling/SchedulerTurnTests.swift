import BackgroundTransfers
import Foundation
import Testing

@testable import BackgroundDaemon

/// Which of the rows begin, and when the queue is asked again.
@Suite struct SchedulerTurnTests {
  private typealias Bench = SchedulerBench

  @Test(arguments: 0...4) func freePlacesAreThoseThatAreNotTaken(running: Int) {
    var scheduler = Bench.running(running)
    let offered = scheduler.room(Bench.now)
    #expect(offered?.free == (running < 4 ? 4 - running : nil))
  }

  @Test func queueIsToldWhatIsUnderWay() throws {
    var scheduler = Bench.running(2)
    scheduler.settles(8)
    scheduler.ends(9)
    let offered = scheduler.room(Bench.now)
    let room = try #require(offered)
    #expect(room.busy == [1, 2, 8, 9] && room.shares == [1: 2] && room.leavesOutFullSessions && room.limit == 2)
  }

  @Test func suspendedTaskTakesNoPlaceAndNoShare() throws {
    var scheduler = Bench.running(4)
    let verdict = scheduler.suspends(1)
    #expect(verdict == .keepsItsConnection)
    let offered = scheduler.room(Bench.now)
    let room = try #require(offered)
    #expect(room.free == 1 && room.shares == [1: 3] && room.busy.contains(1))
  }

  @Test func questionLendsThePlaceAndKeepsTheShare() throws {
    var scheduler = Bench.running(4)
    scheduler.lends(1)
    let offered = scheduler.room(Bench.now)
    let room = try #require(offered)
    #expect(room.free == 1 && room.shares == [1: 4])
    scheduler.takesBack(1)
    let later = scheduler.room(Bench.now)
    #expect(later == nil)
  }

  @Test func answerToASuspendedTaskTakesNoPlace() {
    var scheduler = Bench.running(4)
    scheduler.lends(1)
    _ = scheduler.suspends(1)
    #expect(scheduler.tally.active == 3 && scheduler.tally.undecided == 3)
    scheduler.takesBack(1)
    #expect(scheduler.tally.active == 3 && scheduler.tally.undecided == 4)
    scheduler.resumes(1)
    #expect(scheduler.tally.active == 4)
  }

  @Test func resumedTaskWhoseAppIsStillAskedTakesNoPlace() {
    var scheduler = Bench.running(4)
    _ = scheduler.suspends(1)
    scheduler.lends(1)
    scheduler.resumes(1)
    #expect(scheduler.tally.active == 3 && scheduler.tally.shares == [1: 4])
  }

  @Test func taskThatEndsHasAPlaceUntilItHas() {
    var scheduler = Bench.running(4)
    _ = scheduler.suspends(1)
    scheduler.lends(2)
    scheduler.stops(1)
    scheduler.stops(2)
    #expect(scheduler.tally.active == 4 && scheduler.tally.suspended == 0)
    scheduler.completed(1)
    #expect(scheduler.tally.active == 3)
  }

  @Test(arguments: 1...6) func asManyMayBeSuspendedWithTheirConnectionsAsMayRun(count: Int) {
    var scheduler = Bench.running(6)
    var verdicts: [TransferScheduler.Suspension] = []
    for identifier in 1...Int64(count) { verdicts.append(scheduler.suspends(identifier)) }
    #expect(verdicts.last == (count <= 4 ? .keepsItsConnection : .ends))
  }

  @Test func tasksWithoutPlacesAreBounded() {
    var scheduler = Bench.running(16, bytes: 10_000)
    for identifier in 1...Int64(16) { _ = scheduler.suspends(identifier) }
    let offered = scheduler.room(Bench.now)
    #expect(scheduler.tally.active == 0 && offered == nil)
    // Those whose apps are asked don't count.
    scheduler.lends(1)
    let later = scheduler.room(Bench.now)
    #expect(later?.free == 4)
  }

  @Test(arguments: [(99, 1), (100, nil), (150, nil)] as [(Int, Int?)])
  func requestsInMemoryAreBounded(size: Int, bytes: Int?) {
    var scheduler = Bench.running(1, bytes: 100, size: size)
    let offered = scheduler.room(Bench.now)
    #expect(offered?.bytes == bytes)
  }

  @Test func oneRequestMayBeAsLargeAsItIs() {
    var scheduler = Bench.scheduler(bytes: 0)
    let offered = scheduler.room(Bench.now)
    #expect(offered?.bytes == 1)
  }

  // MARK: admission

  @Test func rowsBeginInTheirOrder() throws {
    var scheduler = Bench.scheduler()
    let offered = scheduler.room(Bench.now)
    let room = try #require(offered)
    let admission = scheduler.admit([Bench.row(5, of: 1), Bench.row(2, of: 2)], to: room) { _ in nil }
    #expect(admission.begins == [5, 2] && !admission.isFull && !admission.looksFurther && admission.putOff.isEmpty)
  }

  @Test func placesAreFilledAndNoMore() throws {
    var scheduler = Bench.running(2)
    let offered = scheduler.room(Bench.now)
    let room = try #require(offered)
    let admission = scheduler.admit((10...15).map { Bench.row($0, of: $0) }, to: room) { _ in nil }
    #expect(admission.begins == [10, 11] && admission.isFull)
  }

  @Test(arguments: 0...3) func sessionLeavesRoomForOthers(running: Int) throws {
    var scheduler = Bench.running(running, limit: 8)
    let offered = scheduler.room(Bench.now)
    let room = try #require(offered)
    let admission = scheduler.admit((10...15).map { Bench.row($0) } + [Bench.row(20, of: 2)], to: room) { _ in nil }
    #expect(admission.begins == (10..<Int64(13 - running)).map { $0 } + [20])
  }

  @Test func rowThatIsPutOffTakesNoPlaceOfAnother() throws {
    var scheduler = Bench.running(3)
    let offered = scheduler.room(Bench.now)
    let room = try #require(offered)
    let putOff = TransferScheduler.PutOff(reason: "on battery", until: Bench.now + 5)
    let admission = scheduler.admit([Bench.row(5, of: 2), Bench.row(6, of: 2), Bench.row(7, of: 2)], to: room) {
      $0.identifier == 5 ? putOff : nil
    }
    #expect(admission.begins == [6] && admission.putOff == [5: putOff] && admission.isFull && !admission.looksFurther)
  }

  @Test func nothingIsAskedAboutRowsThatHaveNoPlace() throws {
    var scheduler = Bench.running(3)
    let offered = scheduler.room(Bench.now)
    let room = try #require(offered)
    var asked: [Int64] = []
    _ = scheduler.admit([Bench.row(5, of: 1), Bench.row(6, of: 2), Bench.row(7, of: 2)], to: room) {
      asked.append($0.identifier)
      return nil
    }
    // Session 1 has its share.
    #expect(asked == [6])
  }

  @Test func turnLooksFurtherWhereSomeWerePutOff() throws {
    var scheduler = Bench.scheduler()
    let putOff = TransferScheduler.PutOff(reason: "on battery", until: Bench.now + 5)
    let offered = scheduler.room(Bench.now)
    let admission = scheduler.admit([Bench.row(5)], to: try #require(offered)) { _ in putOff }
    #expect(admission.looksFurther && !admission.isFull)
    let later = scheduler.room(Bench.now)
    let next = try #require(later)
    #expect(next.limit == 4 + TransferScheduler.lookAhead && next.free == 4 && !next.leavesOutFullSessions)
    _ = scheduler.admit([Bench.row(6)], to: next) { _ in nil }
    let last = scheduler.room(Bench.now)
    #expect(last?.limit == 4)
  }

  @Test func obstacleThatCantBeFoundBeginsNothing() throws {
    struct Unreadable: Error {}
    var scheduler = Bench.scheduler()
    let offered = scheduler.room(Bench.now)
    let room = try #require(offered)
    #expect(throws: Unreadable.self) { try scheduler.admit([Bench.row(5)], to: room) { _ in throw Unreadable() } }
    #expect(scheduler.isIdle)
  }

  /// Ten transfers of one session and one of another, in the order of their making, until all have run.
  @Test(arguments: 1...6) func noMoreRunAtOnceThanAllowedAndASessionLeavesRoomForOthers(limit: Int) throws {
    var scheduler = Bench.scheduler(running: limit, ofSession: max(1, limit - 1))
    var (waiting, running, ended) = ((1...10).map { Bench.row($0, of: 1) } + [Bench.row(11, of: 2)], [Int64](), [Int64]())
    var largest = 0
    for _ in 0..<100 where ended.count < 11 {
      if let room = scheduler.room(Bench.now) {
        let admission = scheduler.admit(waiting, to: room) { _ in nil }
        for identifier in admission.begins {
          guard let row = waiting.first(where: { $0.identifier == identifier }) else { continue }
          scheduler.starts(identifier, of: row.session, size: 10)
          running.append(identifier)
        }
        waiting.removeAll { admission.begins.contains($0.identifier) }
      }
      largest = max(largest, running.count)
      #expect(running.count <= limit && running.filter { $0 <= 10 }.count <= max(1, limit - 1))
      guard !running.isEmpty else { break }
      let first = running.removeFirst()
      scheduler.completed(first)
      ended.append(first)
    }
    #expect(ended.count == 11 && waiting.isEmpty && largest == limit)
    // With room for more than one, the other session doesn't wait for the end of the ten.
    if limit > 1 { #expect(ended.firstIndex(of: 11) ?? 11 < limit) }
    #expect(scheduler.isIdle)
  }

  /// A discretionary transfer waits while the machine runs on a battery, and begins when it doesn't, by whichever daemon.
  @Test(arguments: [false, true]) func discretionaryTransferBeginsWhenTheConditionsAreBetter(isAnotherDaemon: Bool) throws {
    let rules = DiscretionPauses(started: Bench.now - 60, scale: 1)
    func turn(_ scheduler: inout TransferScheduler, isOnMains: Bool, _ now: Date) throws -> TransferScheduler.Admission {
      let offered = scheduler.room(now)
      return scheduler.admit([Bench.row(5), Bench.row(6, of: 2)], to: try #require(offered)) { transfer in
        rules.obstacle(
          isDiscretionary: transfer.session == 1, waitingSince: transfer.created, knowsConditions: true,
          conditions: SystemConditions(isOnMains: isOnMains, isMetered: false, isBusy: false, hasNetwork: true), now: now)
      }
    }
    var scheduler = Bench.scheduler()
    let first = try turn(&scheduler, isOnMains: false, Bench.now)
    #expect(first.begins == [6] && first.putOff[5]?.reason == "on battery" && first.looksFurther)
    if isAnotherDaemon { scheduler = Bench.scheduler() }
    let second = try turn(&scheduler, isOnMains: true, Bench.now + 1)
    #expect(second.begins == [5, 6] && second.putOff.isEmpty)
  }

  // MARK: the next turn

  @Test(
    arguments: [
      (nil, nil, false, nil), (10, nil, false, 10), (nil, 5, false, 5), (10, 5, false, 5), (10, 20, false, 10), (10, 5, true, 10),
      (nil, 5, true, nil), (0, nil, false, 1), (-7, 3, false, 1),
    ] as [(Double?, Double?, Bool, Double?)])
  func nextTurnComesWithTheFirstMoment(deadline: Double?, moment: Double?, isFull: Bool, expected: Double?) {
    let next = Bench.scheduler().nextTurn(
      deadline: deadline.map { Bench.now + $0 }, moment: moment.map { Bench.now + $0 }, isFull: isFull, now: Bench.now)
    #expect(next == expected.map { Bench.now + $0 })
  }

  @Test(arguments: [false, true]) func pauseThatTheDiskHasntTakenBringsATurn(isFull: Bool) {
    var scheduler = Bench.scheduler()
    scheduler.holds(1, until: Bench.now + 2)
    let next = scheduler.nextTurn(deadline: Bench.now + 9, moment: nil, isFull: isFull, now: Bench.now)
    #expect(next == Bench.now + (isFull ? 9 : 2))
  }

  // MARK: counts

  /// Events drawn by chance: what is counted with each change is what a count of all would be.
  @Test(arguments: 0..<8) func talliesAreThoseOfThePhases(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func draw(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }
    var scheduler = Bench.scheduler()
    for step in 0..<2000 {
      let identifier = Int64(draw(12))
      change(&scheduler, identifier, of: identifier % 3, by: draw(18), Bench.now + Double(step))
      var tally = SchedulerTally()
      for (identifier, phase) in scheduler.phases { tally.add(identifier, phase) }
      #expect(scheduler.tally == tally)
    }
  }

  private func change(_ scheduler: inout TransferScheduler, _ identifier: Int64, of session: Int64, by event: Int, _ now: Date) {
    switch event {
    case 0: scheduler.asks(before: identifier, question: 1)
    case 1: scheduler.answered(identifier)
    case 2: _ = scheduler.checks(identifier, of: session)
    case 3: _ = scheduler.checkHangs(identifier)
    case 4: _ = scheduler.checked(identifier)
    case 5: if !scheduler.isRunning(identifier) { scheduler.starts(identifier, of: session, size: 3) }
    case 6: _ = scheduler.suspends(identifier)
    case 7: scheduler.resumes(identifier)
    case 8: scheduler.lends(identifier)
    case 9: scheduler.takesBack(identifier)
    case 10: scheduler.completed(identifier)
    case 11: scheduler.retries(identifier, attempts: 1)
    case 12: scheduler.holds(identifier, until: now + 5)
    case 13: scheduler.release(now)
    case 14: scheduler.settles(identifier)
    case 15: scheduler.ends(identifier)
    case 16: _ = scheduler.forget(identifier)
    default: scheduler.finished(identifier)
    }
  }
}
