import ProtocolRules
import Testing

/// HTML, 9.2.3.
struct EventSourceMachineTests {
  private func machine(attempts: Int? = nil) -> EventSourceMachine {
    EventSourceMachine(reconnectionTime: 3, longestPause: 60, attempts: attempts)
  }

  @Test(
    arguments: [
      (200, "text/event-stream", .read), (200, "TEXT/Event-Stream", .read), (nil, "text/event-stream", .read), (204, nil, .end),
      (204, "text/event-stream", .end), (200, "text/html", .refused), (200, nil, .refused), (404, "text/event-stream", .refused),
      (500, "text/html", .refused), (206, "text/event-stream", .refused), (301, nil, .refused),
    ] as [(Int?, String?, EventSourceMachine.Opening)])
  func statusAndTypeDecide(status: Int?, type: String?, expected: EventSourceMachine.Opening) {
    #expect(machine().didOpen(status: status, mimeType: type) == expected)
  }

  @Test func firstPauseIsTheReconnectionTime() {
    var machine = machine()
    #expect(machine.didBreak(chance: 1) == 3)
    machine.didReceiveEvent()
    machine.setReconnectionTime(1500)
    #expect(machine.didBreak(chance: 1) == 1.5)
  }

  @Test func pausesDoubleUntilAnEventArrives() {
    var machine = machine()
    #expect((0..<7).map { _ in machine.didBreak(chance: 0) } == [3, 6, 12, 24, 48, 60, 60])
    machine.didReceiveEvent()
    #expect((0..<2).map { _ in machine.didBreak(chance: 1) } == [3, 7.5])
  }

  @Test func manyFailuresDoNotOverflow() {
    var machine = machine()
    for _ in 0..<5000 { _ = machine.didBreak(chance: 1) }
    #expect(machine.didBreak(chance: 1) == 60)
  }

  @Test func serverMayAskForMoreThanTheLongestPause() {
    var machine = machine()
    machine.setReconnectionTime(600_000)
    #expect((0..<2).map { _ in machine.didBreak(chance: 1) } == [600, 600])
  }

  @Test func noReconnectionTimeIsNoBusyLoop() {
    var machine = machine()
    machine.setReconnectionTime(0)
    #expect((0..<4).map { _ in machine.didBreak(chance: 0) } == [0.5, 1, 2, 4])
  }

  @Test func longestReconnectionTimeIsAnHour() {
    var machine = machine()
    machine.setReconnectionTime(.max)
    #expect((0..<2).map { _ in machine.didBreak(chance: 1) } == [3600, 3600])
  }

  @Test func attemptsAreCountedSinceTheLastEvent() {
    var machine = machine(attempts: 2)
    #expect(machine.didBreak(chance: 0) == 3)
    machine.didReceiveEvent()
    #expect(machine.didBreak(chance: 0) == 3)
    #expect(machine.didBreak(chance: 0) == 6)
    #expect(machine.didBreak(chance: 0) == nil)
  }
}
