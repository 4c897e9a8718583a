import HTTPTransport
import Testing

@Suite(.timeLimit(.minutes(10))) struct PoolMachineTests {
  typealias Machine = PoolMachine<String>

  @Test func firstRequestConnects() {
    var machine = Machine(limit: 2)
    let result1 = machine.request("a", waiter: 1, priority: 0.5)
    #expect(result1 == .connect)
    let result2 = machine.connected("a", 10, now: 0)
    #expect(result2 == .serve(1))
    let counts = machine.counts("a")
    #expect(counts == (0, 0, 1, 0))
  }

  @Test func idleConnectionIsReusedMostRecentFirst() {
    var machine = Machine(limit: 2)
    for (waiter, connection) in [(1, 10), (2, 11)] {
      _ = machine.request("a", waiter: waiter, priority: 0.5)
      _ = machine.connected("a", connection, now: 0)
    }
    let result3 = machine.released("a", 10, reusable: true, now: 1)
    #expect(result3 == .park)
    let result4 = machine.released("a", 11, reusable: true, now: 2)
    #expect(result4 == .park)
    let result5 = machine.request("a", waiter: 3, priority: 0.5)
    #expect(result5 == .lease(11))
  }

  @Test func limitHoldsAndWaitersAreServedInOrder() {
    var machine = Machine(limit: 1)
    let result6 = machine.request("a", waiter: 1, priority: 0.5)
    #expect(result6 == .connect)
    let result7 = machine.request("a", waiter: 2, priority: 0.5)
    #expect(result7 == .wait)
    let result8 = machine.request("a", waiter: 3, priority: 0.5)
    #expect(result8 == .wait)
    let result9 = machine.connected("a", 10, now: 0)
    #expect(result9 == .serve(1))
    let result10 = machine.released("a", 10, reusable: true, now: 0)
    #expect(result10 == .serve(2))
    let result11 = machine.released("a", 10, reusable: true, now: 0)
    #expect(result11 == .serve(3))
  }

  @Test func higherPriorityIsServedFirst() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    _ = machine.request("a", waiter: 3, priority: 0.9)
    let result12 = machine.connected("a", 10, now: 0)
    #expect(result12 == .serve(3))
    let result13 = machine.released("a", 10, reusable: true, now: 0)
    #expect(result13 == .serve(1))
  }

  @Test func keysDoNotShareConnections() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    let result14 = machine.request("b", waiter: 2, priority: 0.5)
    #expect(result14 == .connect)
  }

  @Test func refusalEndsItsOwnLoadAndOthersGetAnAttempt() {
    var machine = PoolMachine<String>(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.request("a", waiter: 2, priority: 1)
    #expect(machine.next("a") == 2)
    let refused = machine.refused("a", 1)
    #expect(refused == .connect)
    let left = machine.refused("a", 2)
    #expect(left == .sufficient)
    let isEmpty = machine.isEmpty
    #expect(isEmpty)
  }

  @Test func failedAttemptFailsOneWaiterAndTriesAgainForTheNext() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    let result15 = machine.connectFailed("a")
    #expect(result15 == Machine.FailedAttempt(waiter: 1, reconnect: true))
    let result16 = machine.connectFailed("a")
    #expect(result16 == Machine.FailedAttempt(waiter: 2, reconnect: false))
    let isEmpty = machine.isEmpty
    #expect(isEmpty)
  }

  @Test func attemptsEndWithTheLastWaiter() {
    var machine = Machine(limit: 2)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    let first = machine.left("a", 1)
    #expect(!first)
    let attempts = machine.counts("a").connecting
    #expect(attempts == 2)
    let last = machine.left("a", 2)
    #expect(last)
    let isEmpty = machine.isEmpty
    #expect(isEmpty)
  }

  @Test func endedAttemptMakesRoomForANewOne() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.left("a", 1)
    let next = machine.request("a", waiter: 2, priority: 0.5)
    #expect(next == .connect)
    let served = machine.connected("a", 11, now: 0)
    #expect(served == .serve(2))
  }

  @Test func waiterThatLeavesWithoutAnAttemptEndsNone() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.connected("a", 10, now: 0)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    let result = machine.left("a", 2)
    #expect(!result)
    let counts = machine.counts("a")
    #expect(counts == (0, 0, 1, 0))
  }

  @Test func attemptWhoseWaiterWasServedParksItsConnection() {
    var machine = Machine(limit: 2)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.connected("a", 10, now: 0)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    let served = machine.released("a", 10, reusable: true, now: 1)
    #expect(served == .serve(2))
    let parked = machine.connected("a", 11, now: 7)
    #expect(parked == .park)
    let oldest = machine.oldestIdle
    #expect(oldest == 7)
  }

  @Test func connectionThatCannotBeReusedMakesRoomForANewAttempt() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.connected("a", 10, now: 0)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    let result18 = machine.released("a", 10, reusable: false, now: 0)
    #expect(result18 == .close)
    let result19 = machine.replenish("a")
    #expect(result19 == .connect)
  }

  @Test func connectionThatDiesInUseMakesRoom() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.connected("a", 10, now: 0)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    let result20 = machine.closedInUse("a")
    #expect(result20 == .connect)
  }

  @Test func idleConnectionsAreEvictedByAge() {
    var machine = Machine(limit: 3)
    for (waiter, connection) in [(1, 10), (2, 11)] {
      _ = machine.request("a", waiter: waiter, priority: 0.5)
      _ = machine.connected("a", connection, now: 0)
    }
    _ = machine.released("a", 10, reusable: true, now: 5)
    _ = machine.released("a", 11, reusable: true, now: 9)
    let result21 = machine.evict(idleSince: 5)
    #expect(result21 == [10])
    let idle = machine.counts("a").idle
    #expect(idle == 1)
  }

  @Test func drainingKeepsNothing() {
    var machine = Machine(limit: 2)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.connected("a", 10, now: 0)
    let result22 = machine.drain()
    #expect(result22 == [])
    let result23 = machine.released("a", 10, reusable: true, now: 0)
    #expect(result23 == .close)
    let isEmpty = machine.isEmpty
    #expect(isEmpty)
  }

  @Test func newConnectionServesTheLoadItWasJudgedFor() {
    var machine = Machine(limit: 2)
    _ = machine.request("a", waiter: 1, priority: 0.5, takes: .asked(1))
    _ = machine.request("a", waiter: 2, priority: 0.5, takes: .asked(1))
    let served = machine.connected("a", 10, now: 0, accepted: .overridden(by: 1), for: 2)
    #expect(served == .serve(2))
    let other = machine.connected("a", 11, now: 0, accepted: .confirmed, for: 2)
    #expect(other == .serve(1))
  }

  @Test func connectionServesOnlyLoadsThatMayUseIt() {
    var machine = Machine(limit: 2)
    _ = machine.request("a", waiter: 1, priority: 0.5, takes: .unasked)
    let closed = machine.connected("a", 10, now: 0, accepted: .overridden(by: 1))
    #expect(closed == .close)
    let again = machine.replenish("a")
    #expect(again == .connect)
    _ = machine.request("a", waiter: 2, priority: 0.5, takes: .asked(1))
    let served = machine.connected("a", 11, now: 0, accepted: .overridden(by: 1))
    #expect(served == .serve(2))
    let parked = machine.released("a", 11, reusable: true, now: 1, accepted: .overridden(by: 1))
    #expect(parked == .park, "the load that can't use it has an attempt")
    let leased = machine.request("a", waiter: 3, priority: 0.5, takes: .asked(1))
    #expect(leased == .lease(11))
  }

  @Test func idleConnectionThatNobodyCanUseGivesUpItsPlace() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5, takes: .asked(1))
    _ = machine.connected("a", 10, now: 0, accepted: .overridden(by: 1))
    _ = machine.released("a", 10, reusable: true, now: 0, accepted: .overridden(by: 1))
    let replaced = machine.request("a", waiter: 2, priority: 0.5, takes: .unasked)
    #expect(replaced == .replace(10))
    let counts = machine.counts("a")
    #expect(counts == (0, 1, 0, 1))
  }
}
