import HTTPTransport
import Testing

/// Connections of HTTP/3 beside those over TCP.
@Suite(.timeLimit(.minutes(10))) struct PoolMachineAlternativeTests {
  typealias Machine = PoolMachine<String>

  private func waiting(_ waiters: ClosedRange<Int>, limit: Int = 6) -> Machine {
    var machine = Machine(limit: limit)
    for id in waiters { _ = machine.request("a", waiter: id, priority: 0.5, negotiated: .unknown) }
    return machine
  }

  @Test func alternativeServesThoseWhoWaitAndRelinquishesAttempts() {
    var machine = waiting(1...2)
    let use = machine.connectedBeside("a", 10, free: 100, now: 0)
    #expect(use == .park)
    let served = [machine.next(on: 10), machine.next(on: 10), machine.next(on: 10)]
    #expect(served == [1, 2, nil])
    let isOver = machine.relinquish("a")
    #expect(isOver)
    #expect(machine.counts("a").connecting == 0)
    let again = machine.relinquish("a")
    #expect(!again)
  }

  @Test func attemptsThatLoadsWaitForAreKept() {
    var machine = waiting(1...2)
    _ = machine.connectedBeside("a", 10, free: 1, now: 0)
    _ = machine.next(on: 10)
    let isOver = machine.relinquish("a")
    #expect(!isOver)
    #expect(machine.counts("a").connecting == 1)
  }

  @Test func alternativeIsPreferredToAnIdleConnection() {
    var machine = waiting(1...1)
    _ = machine.connected("a", 10, now: 0)
    _ = machine.released("a", 10, reusable: true, now: 0)
    _ = machine.connectedBeside("a", 11, free: 1, now: 0)
    let first = machine.request("a", waiter: 2, priority: 0.5)
    #expect(first == .join(11))
    // It is full.
    let second = machine.request("a", waiter: 3, priority: 0.5)
    #expect(second == .lease(10))
  }

  @Test func alternativeIsPreferredToHTTP2() {
    var machine = waiting(1...1)
    _ = machine.connectedShared("a", 10, free: 100, now: 0)
    _ = machine.next(on: 10)
    _ = machine.connectedBeside("a", 11, free: 1, now: 0)
    let first = machine.request("a", waiter: 2, priority: 0.5)
    let second = machine.request("a", waiter: 3, priority: 0.5)
    #expect((first, second) == (.join(11), .join(10)))
    let keys = machine.sharedEnded(11)
    #expect(keys == ["a"])
    let hasAlternative = machine.hasAlternative("a")
    #expect(!hasAlternative)
  }

  @Test func connectionOverTCPThatComesLaterIsClosedOrParked() {
    var machine = waiting(1...1)
    _ = machine.connectedBeside("a", 10, free: 100, now: 0)
    _ = machine.next(on: 10)
    let use = machine.connectedShared("a", 11, free: 100, now: 0)
    #expect(use == .park)
    let next = machine.request("a", waiter: 2, priority: 0.5)
    #expect(next == .join(10))
  }

  @Test func secondAlternativeIsClosed() {
    var machine = waiting(1...1)
    _ = machine.connectedBeside("a", 10, free: 100, now: 0)
    let use = machine.connectedBeside("a", 11, free: 100, now: 0)
    #expect(use == .close)
  }

  @Test func alternativeWhoseServerWasAcceptedOtherwiseIsPassedOver() {
    var machine = Machine(limit: 6)
    _ = machine.connectedBeside("a", 10, free: 100, now: 0, accepted: .evaluated)
    let outcome = machine.request("a", waiter: 1, priority: 0.5, takes: .asked(1), negotiated: .unknown)
    #expect(outcome == .connect)
  }

  @Test func alternativeTellsNothingOfTCP() {
    var machine = waiting(1...1)
    _ = machine.connected("a", 10, now: 0)
    _ = machine.closedInUse("a")
    _ = machine.connectedBeside("a", 11, free: 1, now: 0)
    let negotiated = machine.negotiated(of: "a")
    guard case .single? = negotiated else {
      Issue.record("\(String(describing: negotiated))")
      return
    }
  }

  @Test func attemptThatYieldsLeavesItsPlace() {
    var machine = waiting(1...1)
    machine.yielded("a")
    #expect(machine.counts("a").connecting == 0)
    let supply = machine.replenish("a")
    #expect(supply == .connect)
  }

  @Test func loadThatIsSparedIsNotToldOfAFailure() {
    var machine = waiting(1...2)
    let first = machine.connectFailed("a", sparing: [1])
    #expect(first == .init(waiter: 2, reconnect: true))
    let second = machine.connectFailed("a", sparing: [1])
    #expect(second == nil)
    #expect(machine.counts("a").waiting == 1)
    _ = machine.replenish("a")
    let third = machine.connectFailed("a", sparing: [7])
    #expect(third?.waiter == 1)
  }

  @Test func alternativeCountsForThoseWhoMayUseIt() {
    var machine = waiting(1...1)
    _ = machine.connectedBeside("a", 10, free: 2, now: 0, accepted: .evaluated)
    let serves = [machine.hasAlternative("a", for: .unasked), machine.hasAlternative("a", for: .asked(1))]
    #expect(serves == [true, false])
  }

  @Test func idleAlternativeIsEvicted() {
    var machine = waiting(1...1)
    _ = machine.connectedBeside("a", 10, free: 2, now: 5)
    _ = machine.next(on: 10)
    machine.gained(10, free: 2, isUnused: true, now: 7)
    let early = machine.evict(idleSince: 6)
    let late = machine.evict(idleSince: 7)
    #expect((early, late) == ([], [10]))
  }

  @Test func requestsFollowOthersOnlyWithoutAnAlternative() {
    var machine = waiting(1...1, limit: 1)
    _ = machine.connected("a", 10, now: 0)
    let isFull = machine.isFull("a")
    #expect(isFull)
    _ = machine.connectedBeside("a", 11, free: 1, now: 0)
    let isStillFull = machine.isFull("a")
    #expect(!isStillFull)
  }
}
