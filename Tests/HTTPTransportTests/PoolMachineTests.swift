import HTTPTransport
import Testing

@Suite struct PoolMachineTests {
  typealias Machine = PoolMachine<String>

  @Test func firstRequestConnects() {
    var machine = Machine(limit: 2)
    #expect(machine.request("a", waiter: 1, priority: 0.5) == .connect)
    #expect(machine.connected("a", 10, now: 0) == .serve(1, 10))
    #expect(machine.counts("a") == (0, 0, 1, 0))
  }

  @Test func idleConnectionIsReusedMostRecentFirst() {
    var machine = Machine(limit: 2)
    for (waiter, connection) in [(1, 10), (2, 11)] {
      _ = machine.request("a", waiter: waiter, priority: 0.5)
      _ = machine.connected("a", connection, now: 0)
    }
    #expect(machine.released("a", 10, reusable: true, now: 1) == .park)
    #expect(machine.released("a", 11, reusable: true, now: 2) == .park)
    #expect(machine.request("a", waiter: 3, priority: 0.5) == .lease(11))
  }

  @Test func limitHoldsAndWaitersAreServedInOrder() {
    var machine = Machine(limit: 1)
    #expect(machine.request("a", waiter: 1, priority: 0.5) == .connect)
    #expect(machine.request("a", waiter: 2, priority: 0.5) == .none)
    #expect(machine.request("a", waiter: 3, priority: 0.5) == .none)
    #expect(machine.connected("a", 10, now: 0) == .serve(1, 10))
    #expect(machine.released("a", 10, reusable: true, now: 0) == .serve(2, 10))
    #expect(machine.released("a", 10, reusable: true, now: 0) == .serve(3, 10))
  }

  @Test func higherPriorityIsServedFirst() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    _ = machine.request("a", waiter: 3, priority: 0.9)
    #expect(machine.connected("a", 10, now: 0) == .serve(3, 10))
    #expect(machine.released("a", 10, reusable: true, now: 0) == .serve(1, 10))
  }

  @Test func keysDoNotShareConnections() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    #expect(machine.request("b", waiter: 2, priority: 0.5) == .connect)
  }

  @Test func failedAttemptFailsOneWaiterAndTriesAgainForTheNext() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    #expect(machine.connectFailed("a") == .fail(1, reconnect: true))
    #expect(machine.connectFailed("a") == .fail(2, reconnect: false))
    #expect(machine.isEmpty)
  }

  @Test func attemptWhoseWaiterLeftParksItsConnection() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    machine.left("a", 1)
    #expect(machine.connected("a", 10, now: 7) == .park)
    #expect(machine.oldestIdle == 7)
  }

  @Test func connectionThatCannotBeReusedMakesRoomForANewAttempt() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.connected("a", 10, now: 0)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    #expect(machine.released("a", 10, reusable: false, now: 0) == .close)
    #expect(machine.replenish("a") == .connect)
  }

  @Test func connectionThatDiesInUseMakesRoom() {
    var machine = Machine(limit: 1)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.connected("a", 10, now: 0)
    _ = machine.request("a", waiter: 2, priority: 0.5)
    #expect(machine.closedInUse("a") == .connect)
  }

  @Test func idleConnectionsAreEvictedByAge() {
    var machine = Machine(limit: 3)
    for (waiter, connection) in [(1, 10), (2, 11)] {
      _ = machine.request("a", waiter: waiter, priority: 0.5)
      _ = machine.connected("a", connection, now: 0)
    }
    _ = machine.released("a", 10, reusable: true, now: 5)
    _ = machine.released("a", 11, reusable: true, now: 9)
    #expect(machine.evict(idleSince: 5) == [10])
    #expect(machine.counts("a").idle == 1)
  }

  @Test func drainingKeepsNothing() {
    var machine = Machine(limit: 2)
    _ = machine.request("a", waiter: 1, priority: 0.5)
    _ = machine.connected("a", 10, now: 0)
    #expect(machine.drain() == [])
    #expect(machine.released("a", 10, reusable: true, now: 0) == .close)
    #expect(machine.isEmpty)
  }
}
