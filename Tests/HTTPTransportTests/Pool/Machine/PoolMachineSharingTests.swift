import HTTPTransport
import Testing

/// Connections that carry many exchanges at a time.
@Suite(.timeLimit(.minutes(10))) struct PoolMachineSharingTests {
  typealias Machine = PoolMachine<String>

  /// A machine in which these loads wait for one attempt.
  private func waiting(_ waiters: ClosedRange<Int>, limit: Int = 6) -> Machine {
    var machine = Machine(limit: limit)
    for id in waiters { _ = machine.request("a", waiter: id, priority: 0.5, negotiated: .unknown) }
    return machine
  }

  /// The loads that are served on `id` now.
  private func served(_ machine: inout Machine, on id: Int) -> [Int] {
    var waiters: [Int] = []
    while let waiter = machine.next(on: id) { waiters.append(waiter) }
    return waiters
  }

  @Test func loadsThatStartTogetherWaitForOneAttempt() {
    var machine = Machine(limit: 6)
    let first = machine.request("a", waiter: 1, priority: 0.5, negotiated: .unknown)
    let second = machine.request("a", waiter: 2, priority: 0.5, negotiated: .unknown)
    #expect((first, second) == (.connect, .wait))
    let connected = machine.connectedShared("a", 10, free: 100, now: 0)
    #expect(connected == .park)
    let waiters = served(&machine, on: 10)
    #expect(waiters == [1, 2])
    let third = machine.request("a", waiter: 3, priority: 0.5, negotiated: .unknown)
    #expect(third == .join(10))
  }

  @Test func originThatSpeaksHTTP1GetsAllItsAttemptsAfterTheFirst() {
    var machine = waiting(1...10, limit: 4)
    let connected = machine.connected("a", 10, now: 0)
    #expect(connected == .serve(1))
    var attempts = 0
    while case .connect = machine.replenish("a") { attempts += 1 }
    #expect(attempts == 3)
  }

  @Test func originKnownForHTTP1ConnectsForEachLoad() {
    var machine = waiting(1...1)
    _ = machine.connected("a", 10, now: 0)
    _ = machine.closedInUse("a")
    let isEmpty = machine.isEmpty
    #expect(isEmpty)
    for id in 2...4 {
      let action = machine.request("a", waiter: id, priority: 0.5, negotiated: .unknown)
      #expect(action == .connect)
    }
  }

  @Test func originKnownForHTTP2ConnectsOnce() {
    var machine = waiting(1...1)
    _ = machine.connectedShared("a", 10, free: 1, now: 0)
    _ = served(&machine, on: 10)
    let keys = machine.sharedEnded(10)
    #expect(keys == ["a"])
    let isEmpty = machine.isEmpty
    #expect(isEmpty)
    let first = machine.request("a", waiter: 2, priority: 0.5, negotiated: .unknown)
    let second = machine.request("a", waiter: 3, priority: 0.5, negotiated: .unknown)
    #expect((first, second) == (.connect, .wait))
  }

  @Test func loadsBeyondThePeersLimitWaitForStreams() {
    var machine = waiting(1...5)
    _ = machine.connectedShared("a", 10, free: 2, now: 0)
    let first = served(&machine, on: 10)
    #expect(first == [1, 2])
    let another = machine.request("a", waiter: 6, priority: 0.5, negotiated: .unknown)
    #expect(another == .wait)
    machine.gained(10, free: 1, isUnused: false, now: 0)
    let second = served(&machine, on: 10)
    #expect(second == [3])
    machine.gained(10, free: 100, isUnused: false, now: 0)
    let rest = served(&machine, on: 10)
    #expect(rest == [4, 5, 6])
  }

  @Test func streamsGoToTheHighestPriorityFirst() {
    var machine = Machine(limit: 6)
    for (id, priority) in [(1, 0.25), (2, 0.5), (3, 1), (4, 0.5)] as [(Int, Float)] {
      _ = machine.request("a", waiter: id, priority: priority, negotiated: .unknown)
    }
    _ = machine.connectedShared("a", 10, free: 10, now: 0)
    let waiters = served(&machine, on: 10)
    #expect(waiters == [3, 2, 4, 1])
  }

  @Test func connectionThatGoesAwayGetsNoLoadAndTheRestConnectOnce() {
    var machine = waiting(1...4)
    _ = machine.connectedShared("a", 10, free: 2, now: 0)
    _ = served(&machine, on: 10)
    let keys = machine.sharedEnded(10)
    #expect(keys == ["a"])
    let action = machine.replenish("a")
    let again = machine.replenish("a")
    #expect((action, again) == (.connect, .sufficient))
    machine.gained(10, free: 5, isUnused: false, now: 0)
    let none = served(&machine, on: 10)
    #expect(none.isEmpty)
  }

  @Test func connectionOnWhichTheAppWasNotAskedDoesNotServeWhoWantsToBeAsked() {
    var machine = Machine(limit: 6)
    _ = machine.request("a", waiter: 1, priority: 0.5, takes: .unasked, negotiated: .unknown)
    _ = machine.connectedShared("a", 10, free: 100, now: 0, accepted: .evaluated)
    _ = served(&machine, on: 10)
    let asked = machine.request("a", waiter: 2, priority: 0.5, takes: .asked(1), negotiated: .unknown)
    #expect(asked == .connect)
    let second = machine.connectedShared("a", 11, free: 100, now: 0, accepted: .overridden(by: 1), for: 2)
    #expect(second == .serve(2))
    let unasked = machine.request("a", waiter: 3, priority: 0.5, takes: .unasked, negotiated: .unknown)
    #expect(unasked == .join(10))
    let another = machine.request("a", waiter: 4, priority: 0.5, takes: .asked(1), negotiated: .unknown)
    #expect(another == .join(11))
  }

  @Test func secondConnectionOfTheSameKindIsClosed() {
    var machine = waiting(1...3)
    let failed = machine.connectFailed("a")
    #expect(failed == Machine.FailedAttempt(waiter: 1, reconnect: true))
    // From here on no load waits for another's attempt.
    let parallel = machine.replenish("a")
    #expect(parallel == .connect)
    let first = machine.connectedShared("a", 10, free: 100, now: 0)
    #expect(first == .park)
    let second = machine.connectedShared("a", 11, free: 100, now: 0)
    #expect(second == .close)
    let waiters = served(&machine, on: 10)
    #expect(waiters == [2, 3])
  }

  @Test func unusedConnectionIsEvictedInItsTime() {
    var machine = waiting(1...1)
    _ = machine.connectedShared("a", 10, free: 100, now: 5)
    _ = served(&machine, on: 10)
    let busy = machine.evict(idleSince: .max)
    #expect(busy.isEmpty)
    #expect(machine.oldestIdle == nil)
    machine.gained(10, free: 100, isUnused: true, now: 7)
    #expect(machine.oldestIdle == 7)
    let early = machine.evict(idleSince: 6)
    #expect(early.isEmpty)
    let due = machine.evict(idleSince: 7)
    #expect(due == [10])
    let isEmpty = machine.isEmpty
    #expect(isEmpty)
  }

  @Test func connectionOfOneKeyServesAnotherThatAdoptsIt() {
    var machine = waiting(1...1)
    _ = machine.connectedShared("a", 10, free: 1, now: 0)
    _ = served(&machine, on: 10)
    for id in 2...3 { _ = machine.request("b", waiter: id, priority: 0.5, negotiated: .unknown) }
    let isAdopted = machine.adopt("b", 10)
    #expect(isAdopted)
    _ = machine.request("a", waiter: 4, priority: 1, negotiated: .unknown)
    machine.gained(10, free: 1, isUnused: false, now: 0)
    let first = served(&machine, on: 10)
    #expect(first == [4])
    machine.gained(10, free: 9, isUnused: false, now: 0)
    let rest = served(&machine, on: 10)
    #expect(rest == [2, 3])
    let keys = machine.sharedEnded(10)
    #expect(keys == ["a", "b"])
    let isEmpty = machine.isEmpty
    #expect(isEmpty)
  }

  @Test func connectionWithdrawnFromAKeyServesTheOther() {
    var machine = waiting(1...1)
    _ = machine.connectedShared("a", 10, free: 9, now: 0)
    _ = served(&machine, on: 10)
    _ = machine.request("b", waiter: 2, priority: 0.5, negotiated: .unknown)
    _ = machine.adopt("b", 10)
    _ = served(&machine, on: 10)
    machine.withdraw(10, from: "b")
    let other = machine.request("b", waiter: 3, priority: 0.5, negotiated: .unknown)
    let own = machine.request("a", waiter: 4, priority: 0.5, negotiated: .unknown)
    #expect((other, own) == (.connect, .join(10)))
  }

  @Test func tenThousandWaitersComeLeaveAndAreServedInOrder() {
    var machine = waiting(1...10_000)
    for id in stride(from: 2, through: 10_000, by: 2) { _ = machine.left("a", id) }
    _ = machine.connectedShared("a", 10, free: 10_000, now: 0)
    let waiters = served(&machine, on: 10)
    #expect(waiters == Array(stride(from: 1, to: 10_000, by: 2)))
    #expect(machine.line("a").isEmpty)
  }

  @Test func lineMixesPrioritiesAndAcceptancesInOrder() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5, takes: .asked(1))
    for (id, takes) in [(2, .unasked), (3, .asked(1)), (4, .unasked)] as [(Int, PeerAcceptance)] {
      _ = machine.request("a", waiter: id, priority: id == 4 ? 1 : 0.5, takes: takes)
    }
    let line = machine.line("a")
    #expect(line == [4, 1, 2, 3])
    let connected = machine.connected("a", 10, now: 0, accepted: .overridden(by: 1))
    #expect(connected == .serve(1))
    let next = machine.next("a")
    #expect(next == 4)
  }
}
