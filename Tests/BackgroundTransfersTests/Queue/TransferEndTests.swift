import Foundation
import Testing

@testable import BackgroundTransfers

/// Ends of transfers and their events.
@Suite(.timeLimit(.minutes(10))) struct TransferEndTests {
  private let folder = QueueFolder()

  @Test func eventsAreKeptInTheOrderOfTheEndsUntilTheyAreTaken() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let added = try queue.addWaiting(1...4, to: session)
    for index in [2, 0, 3] { _ = try queue.finish(added[index], .success(file: "/files/\(index)"), now: .noon) }
    #expect(try queue.events(of: session).map(\.identifier) == [added[2], added[0], added[3]])
    #expect(try queue.take([added[2], 999], of: session) == ["/files/2"])
    let again = try folder.open()
    #expect(try again.events(of: session).map(\.task) == [1, 4])
    #expect(try again.take([added[2]], of: session) == [])
    _ = try again.finish(added[1], .success(), now: .noon)
    #expect(try again.events(of: session).map(\.task) == [1, 4, 2])
    #expect(try again.events(of: session, limit: 1).map(\.task) == [1])
    #expect(try again.events(of: session, after: added[0], limit: 1).map(\.task) == [4])
    #expect(try again.transfers(of: session).isEmpty)
  }

  @Test func aTransferEndsOnce() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let identifier = try queue.addWaiting([1], to: session)[0]
    _ = try queue.finish(identifier, .failure("first"), now: .noon)
    let second = try queue.finish(identifier, .success(), now: .noon)
    #expect(second.identifier == identifier && second.outcome.error?.description == "first")
    #expect(try queue.events(of: session).count == 1)
    _ = try queue.take([identifier], of: session)
    #expect(throws: TransferQueueError.noTransfer(identifier)) { _ = try queue.finish(identifier, .success(), now: .noon) }
  }

  @Test func anEndedTransferDoesNotChange() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let identifier = try queue.addWaiting([1], to: session)[0]
    var outcome = TransferOutcome.success(file: "/file")
    (outcome.response, outcome.metrics) = (Data("response".utf8), Data("metrics".utf8))
    _ = try queue.finish(identifier, outcome, now: .noon)
    try queue.setSuspended(true, identifier)
    try queue.setSuspended(false, identifier)
    try queue.keepAttempt(1, next: nil, reason: "late", identifier)
    try queue.keepProgress(TransferProgress(task: 1, sent: 5, received: 5, expectedToSend: 5, expectedToReceive: 5), identifier)
    try queue.keepResponse(Data("late".utf8), identifier)
    try queue.change(TransferChange(), identifier, now: .noon)
    #expect(try queue.transfer(identifier) == nil)
    let event = try #require(try queue.events(of: session).first)
    #expect(event.outcome.response == Data("response".utf8) && event.outcome.metrics == Data("metrics".utf8))
    let listing = try #require(try queue.reports.transfers().first)
    #expect(listing.phase == .finished && listing.received == 10 && listing.reason == nil)
    #expect(try queue.order(identifier)?.request == TransferOrder.sample(1).request)
  }

  @Test func anAppTakesTheEventsOfItsSessionAlone() throws {
    let queue = try folder.open()
    let (one, other) = (try queue.sessions.open(.sample("one")).identifier, try queue.sessions.open(.sample("other")).identifier)
    let ended = try queue.addWaiting([1], to: one)[0]
    let waiting = try queue.addWaiting([2], to: one)[0]
    _ = try queue.finish(ended, .success(file: "/file"), now: .noon)
    #expect(try queue.take([ended, waiting], of: other) == [])
    #expect(try queue.events(of: one).count == 1)
    #expect(try queue.take([ended, waiting], of: one) == ["/file"])
    #expect(try queue.transfer(waiting) != nil)
  }

  @Test func anUntoldEndLeavesNoEvent() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let identifier = try queue.addWaiting([1], to: session)[0]
    try queue.finishUntold(identifier, now: .noon)
    #expect(try queue.events(of: session).isEmpty && queue.reports.transfers().isEmpty)
    #expect(throws: TransferQueueError.taskIdentifierUsed(1)) { _ = try queue.add(.sample(1), to: session, now: .noon) }
  }
}
