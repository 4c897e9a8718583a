import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct WaitingLineTests {
  @Test func whoComesBackStandsWhereItStood() {
    var line = WaitingLine()
    for id in [10, 20, 30, 40] { line.join(id, priority: 0.5, takes: .unasked) }
    #expect(line.popFirst() == 10)
    #expect(line.popFirst() == 20)
    line.join(50, priority: 0.5, takes: .unasked)
    line.join(21, priority: 0.5, takes: .unasked)
    line.join(11, priority: 0.5, takes: .unasked)
    #expect(line.all == [11, 21, 30, 40, 50])
    #expect((0..<6).map { _ in line.popFirst() } == [11, 21, 30, 40, 50, nil])
  }

  @Test func priorityComesBeforeAge() {
    var line = WaitingLine()
    line.join(10, priority: 0.5, takes: .unasked)
    line.join(30, priority: 1, takes: .unasked)
    line.join(20, priority: 1, takes: .unasked)
    #expect(line.all == [20, 30, 10])
  }

  @Test func priorityThatIsNoNumberIsTheDefault() {
    var line = WaitingLine()
    line.join(10, priority: .nan, takes: .unasked)
    line.join(20, priority: 0.5, takes: .unasked)
    line.join(30, priority: .signalingNaN, takes: .unasked)
    line.join(40, priority: 0.6, takes: .unasked)
    #expect((0..<5).map { _ in line.popFirst() } == [40, 10, 20, 30, nil])
    #expect(line.isEmpty)
  }
}
