import Foundation
import Testing

@testable import BackgroundTransfers

/// An end is told however much there is to say of it.
@Suite struct TransferEventFrameTests {
  private static var event: TransferEvent {
    var outcome = TransferOutcome()
    outcome.error = ErrorValue(domain: "NSURLErrorDomain", code: -1005, description: "lost")
    outcome.error?.resumeData = Data("resume".utf8)
    (outcome.metrics, outcome.currentRequest, outcome.response) = (Data("m".utf8), Data("r".utf8), Data("a".utf8))
    let order = TransferOrder(task: 3, kind: .upload, request: Data("GET".utf8), shownURL: "https://a.test/")
    return TransferEvent(identifier: 9, task: 3, order: order, outcome: outcome)
  }

  /// What is left when so many attempts were too large.
  private func reduced(_ failures: Int) throws -> TransferEvent? {
    var attempts = 0
    let frame = TransferEventFrameTests.event.frame { message in
      attempts += 1
      return attempts > failures ? MessageCoding.frame(message) : nil
    }
    guard let frame else { return nil }
    let message = try MessageCoding.decode(DaemonMessage.self, from: frame.dropFirst(FrameReader.headerSize))
    guard case .event(let event) = message else { return nil }
    return event
  }

  @Test func whatIsMissedLeastIsLeftOutFirst() throws {
    let whole = try #require(try reduced(0))
    #expect(whole.outcome.metrics != nil && whole.order != nil)
    let first = try #require(try reduced(1))
    #expect(first.outcome.metrics == nil && first.outcome.currentRequest != nil)
    let third = try #require(try reduced(3))
    #expect(third.order == nil && third.kind == .upload && third.outcome.error?.failingURL == "https://a.test/")
    let last = try #require(try reduced(5))
    #expect(last.identifier == 9 && last.task == 3 && last.outcome.error?.code == -1005)
    #expect(last.outcome.error?.resumeData == nil && last.outcome.response == nil)
    #expect(try reduced(6) == nil)
  }

  @Test func anEventAboveTheLargestMessageIsTold() throws {
    var event = TransferEventFrameTests.event
    event.outcome.metrics = Data(count: FrameReader.maximumMessage)
    #expect(MessageCoding.frame(DaemonMessage.event(event)) == nil)
    let frame = try #require(event.frame)
    #expect(frame.count < 1 << 16)
  }
}
