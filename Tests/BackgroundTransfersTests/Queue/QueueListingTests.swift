import Foundation
import Testing

@testable import BackgroundTransfers

/// What the tool shows of the queue.
@Suite(.timeLimit(.minutes(10))) struct QueueListingTests {
  private let folder = QueueFolder()

  @Test func listingsSayWhatEachTransferIsAndWhy() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample("photos")).identifier
    let added = try queue.addWaiting(1...4, to: session)
    var order = TransferOrder.sample(5)
    (order.description, order.destination) = ("the fifth", "/tmp/5")
    _ = try queue.add(order, to: session, now: .noon(5))
    try queue.keepAttempt(2, next: .noon(9), reason: "no route", added[1])
    _ = try queue.finish(added[2], .success(), now: .noon)
    _ = try queue.finish(added[3], .failure("404"), now: .noon)
    let listings = try queue.reports.transfers()
    #expect(listings.map(\.phase) == [.waiting, .waiting, .finished, .failed, .suspended])
    #expect(listings.map(\.reason) == [nil, "no route", nil, "404", nil])
    #expect(listings.map(\.next) == [nil, .noon(9), nil, nil, nil])
    #expect(listings.map(\.task) == [1, 2, 3, 4, 5] && listings.map(\.attempts) == [0, 2, 0, 0, 0])
    let last = try #require(listings.last)
    #expect(last.app == "app" && last.session == "photos" && last.url == "https://a.test/5" && last.created == .noon(5))
    #expect(last.description == "the fifth" && last.destination == "/tmp/5" && last.kind == .download)
    #expect(try queue.reports.counts() == (2, 1, 2))
  }

  @Test func logKeepsTheLatestLines() throws {
    let queue = try folder.open()
    try queue.transaction { queue in
      for number in 1...10_050 { try queue.log.add("line \(number)", transfer: number % 2 == 0 ? 7 : nil, now: .noon(Double(number))) }
    }
    #expect(try queue.log.lines(transfer: nil, limit: 20_000).count == 10_000)
    #expect(try queue.log.lines(transfer: nil, limit: 2).map(\.text) == ["line 10049", "line 10050"])
    #expect(
      try queue.log.lines(transfer: 7, limit: 2)
        == [
          LogLine(time: .noon(10_048), transfer: 7, text: "line 10048"), LogLine(time: .noon(10_050), transfer: 7, text: "line 10050"),
        ])
    #expect(try queue.log.lines(transfer: 8, limit: 2).isEmpty)
    #expect(try queue.log.lines(transfer: nil, limit: -1).isEmpty)
  }
}
