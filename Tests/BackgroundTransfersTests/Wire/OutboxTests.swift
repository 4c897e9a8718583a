import Foundation
import Testing

@testable import BackgroundTransfers

@Suite(.timeLimit(.minutes(10))) struct OutboxTests {
  @Test func bytesLeaveInOrderHoweverFewAreSentAtOnce() {
    let frames = [40_000, 30_000, 1, 200_000, 5, 60_000].enumerated().map { Data(repeating: UInt8($0), count: $1) }
    for size in [1_000, 64 << 10, 1 << 20] {
      var outbox = Outbox()
      var sent = Data()
      let isAdded = frames.map { outbox.add($0) }
      #expect(!isAdded.contains(false))
      while let next = outbox.next {
        let count = min(size, next.count)
        sent += next.prefix(count)
        outbox.sent(count)
      }
      #expect(sent == frames.reduce(Data(), +) && outbox.count == 0)
    }
  }

  @Test func takesNoMoreThanItsLimit() {
    var outbox = Outbox(limit: 10)
    let first = [6, 4, 1].map { outbox.add(Data(count: $0)) }
    #expect(first == [true, true, false])
    outbox.sent(1)
    let second = [1, 1].map { outbox.add(Data(count: $0)) }
    #expect(second == [true, false])
    outbox.removeAll()
    #expect(outbox.next == nil && outbox.count == 0)
    let isEmptyAgain = outbox.add(Data(count: 10))
    #expect(isEmptyAgain)
  }

  @Test func smallMessagesAreSentTogether() {
    var outbox = Outbox()
    for _ in 0..<1000 { _ = outbox.add(Data(count: 50)) }
    #expect(outbox.next?.count == 50_000)
  }
}
