import Foundation
import LoadingModel
import Testing

@testable import BackgroundTransfers

/// What the queue keeps, and how it changes.
@Suite(.timeLimit(.minutes(10))) struct TransferQueueTests {
  private let folder = QueueFolder()

  @Test func whatIsKeptOfATransferIsThereWhenTheQueueIsOpenedAgain() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    var order = TransferOrder.sample(7)
    order.kind = .upload
    order.source = SourceFile(path: "/source", device: 1, inode: 2, size: 3, modified: 4)
    (order.resumeData, order.destination, order.expectsToSend) = (Data("old".utf8), "/destination", 3)
    let identifier = try queue.add(order, to: session, now: .noon).identifier
    try queue.setSuspended(false, identifier, now: .noon(5))
    var change = TransferChange()
    (change.description, change.priority, change.expectsToReceive) = ("described", 0.75, 9)
    try queue.change(change, identifier, now: .noon)
    try queue.replaceRequest(Data("other request".utf8), identifier)
    try queue.keepAttempt(3, next: .noon(60), reason: "no route", identifier)
    try queue.keepResumeData(Data("resume".utf8), identifier)
    try queue.keepResponse(Data("response".utf8), identifier)
    try queue.keepProgress(TransferProgress(task: 7, sent: 1, received: 2, expectedToSend: 3, expectedToReceive: 4), identifier)

    // Not closed: as after the end of a process.
    let transfer = try #require(try folder.open().transfer(session: session, task: 7))
    #expect(transfer.identifier == identifier && transfer.session == session)
    #expect(!transfer.isSuspended && transfer.waitingSince == .noon(5))
    #expect(transfer.order.kind == .upload && transfer.order.source == order.source && transfer.order.resumeData == order.resumeData)
    #expect(transfer.order.request == Data("other request".utf8) && transfer.order.destination == "/destination")
    #expect(transfer.order.description == "described" && transfer.order.priority == 0.75)
    #expect(transfer.order.expectsToSend == 3 && transfer.order.expectsToReceive == 9)
    #expect(transfer.attempts == 3 && transfer.next == .noon(60) && transfer.waitReason == "no route")
    #expect(transfer.resumeData == Data("resume".utf8) && transfer.response == Data("response".utf8))
    #expect(transfer.progress.sent == 1 && transfer.progress.received == 2)
    #expect(transfer.progress.expectedToSend == 3 && transfer.progress.expectedToReceive == 4)
    #expect(transfer.created == .noon && transfer.deadline == .noon(3605))
  }

  @Test func newTransfersAreSuspendedAndInOrder() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    for task in [2, 1, 9] { _ = try queue.add(.sample(task), to: session, now: .noon) }
    #expect(try queue.transfers(of: session).map(\.order.task) == [2, 1, 9])
    #expect(try queue.transfers(of: session).allSatisfy { $0.isSuspended && $0.waitingSince == nil })
    #expect(try queue.sessions.find(session)?.nextTask == 10)
  }

  @Test func taskIdentifierIsTakenOnce() throws {
    let queue = try folder.open()
    let (one, other) = (try queue.sessions.open(.sample("one")).identifier, try queue.sessions.open(.sample("other")).identifier)
    let first = try queue.add(.sample(1), to: one, now: .noon).identifier
    _ = try queue.add(.sample(1), to: other, now: .noon)
    func isRefused(_ task: Int) -> Bool {
      do { _ = try queue.add(.sample(task), to: one, now: .noon) } catch {
        return error as? TransferQueueError == .taskIdentifierUsed(task)
      }
      return false
    }
    #expect(isRefused(1))
    _ = try queue.finish(first, .success(), now: .noon)
    #expect(isRefused(1))
    _ = try queue.take([first], of: one)
    #expect(isRefused(1))
    #expect(!isRefused(2))
  }

  @Test func numbersThatWereNeverUsedAreTakenLate() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    _ = try queue.add(.sample(2), to: session, now: .noon)
    let first = try queue.add(.sample(5), to: session, now: .noon).identifier
    _ = try queue.finish(first, .success(), now: .noon)
    _ = try queue.take([first], of: session)
    // Also with the next daemon.
    queue.close()
    let next = try folder.open()
    func isTaken(_ task: Int) -> Bool { (try? next.add(.sample(task), to: session, now: .noon)) != nil }
    #expect(!isTaken(5) && !isTaken(2))
    #expect(isTaken(4) && !isTaken(4))
    let late = try #require(try next.transfer(session: session, task: 4)).identifier
    try next.finishUntold(late, now: .noon)
    #expect(!isTaken(4) && isTaken(1) && isTaken(3) && isTaken(6))
  }

  @Test func numbersFarBelowAreNotKept() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    for task in [1 << 40, Int.max] {
      let identifier = try queue.add(.sample(task), to: session, now: .noon).identifier
      try queue.finishUntold(identifier, now: .noon)
    }
    func isTaken(_ task: Int) -> Bool { (try? queue.add(.sample(task), to: session, now: .noon)) != nil }
    #expect(!isTaken(1) && !isTaken((1 << 40) - 1) && !isTaken(Int.max))
    #expect(isTaken(Int.max - TaskNumbers.reach) && !isTaken(Int.max - TaskNumbers.reach - 1))
  }

  @Test func openingASessionAgainChangesItsTermsAlone() throws {
    let queue = try folder.open()
    let first = try queue.sessions.open(.sample("a"))
    let other = try queue.sessions.open(.sample("a", app: "another"))
    #expect(first.identifier != other.identifier)
    _ = try queue.add(.sample(1), to: first.identifier, now: .noon)
    try queue.sessions.keepLaunches(LaunchHistory(failures: 2, last: .noon, next: .noon(60)), of: first.identifier)
    var terms = SessionTerms.sample("a", timeout: .infinity)
    terms.launch = .command(["/app", "--background"], folder: nil, environment: ["A": "B"])
    let again = try queue.sessions.open(terms)
    #expect(again.identifier == first.identifier && again.terms == terms && again.nextTask == 2)
    #expect(again.launches == LaunchHistory(failures: 2, last: .noon, next: .noon(60)))
    #expect(try queue.sessions.all().map(\.identifier) == [first.identifier, other.identifier])
    #expect(try queue.sessions.find(terms.key)?.identifier == first.identifier)
    #expect(try queue.sessions.find(SessionKey(app: "app", data: "/data/app", identifier: "b")) == nil)
  }

  @Test func invalidatedSessionTakesNoTasksUntilItIsOpened() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    try queue.sessions.invalidate(session)
    #expect(try queue.sessions.find(session)?.isInvalidated == true)
    #expect(throws: TransferQueueError.sessionIsInvalidated(session)) { _ = try queue.add(.sample(1), to: session, now: .noon) }
    #expect(try queue.sessions.open(.sample()).isInvalidated == false)
    _ = try queue.add(.sample(1), to: session, now: .noon)
    #expect(throws: TransferQueueError.noSession(session + 1)) { _ = try queue.add(.sample(1), to: session + 1, now: .noon) }
  }

  @Test func sessionIsRemovedOnlyWhenItIsEmpty() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let identifier = try queue.add(.sample(1), to: session, now: .noon).identifier
    try queue.sessions.removeIfEmpty(session)
    _ = try queue.finish(identifier, .success(), now: .noon)
    try queue.sessions.removeIfEmpty(session)
    #expect(try queue.sessions.find(session) != nil)
    _ = try queue.take([identifier], of: session)
    try queue.sessions.removeIfEmpty(session)
    #expect(try queue.sessions.find(session) == nil)
    #expect(try queue.sessions.open(.sample()).identifier > session)
  }

  @Test func aTransactionThatThrowsChangesNothing() throws {
    struct Refused: Error {}
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    #expect(throws: Refused.self) {
      try queue.transaction { inner in
        _ = try inner.add(.sample(1), to: session, now: .noon)
        // Through the queue itself as well: the calls are those of one thread.
        try queue.transaction { _ = try $0.add(.sample(2), to: session, now: .noon) }
        throw Refused()
      }
    }
    #expect(try queue.transfers(of: session).isEmpty)
    try queue.transaction { queue in
      _ = try queue.add(.sample(1), to: session, now: .noon)
      #expect(throws: TransferQueueError.taskIdentifierUsed(1)) { _ = try queue.add(.sample(1), to: session, now: .noon) }
      _ = try queue.add(.sample(2), to: session, now: .noon)
    }
    #expect(try queue.transfers(of: session).map(\.order.task) == [1, 2])
  }

  @Test func threadsMayUseTheQueueAtOnce() async throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in 0..<8 {
        group.addTask {
          for task in (part * 10 + 1)...(part * 10 + 10) {
            try queue.transaction { queue in
              let transfer = try queue.add(.sample(task), to: session, now: .noon)
              _ = try queue.finish(transfer.identifier, .success(), now: .noon)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(Set(try queue.events(of: session).map(\.task)) == Set(1...80))
  }

  @Test(arguments: [("", ""), (nil, nil), ("other", "other")] as [(String?, String?)])
  func emptyDescriptionIsNotNone(text: String?, expected: String?) throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let identifier = try queue.addWaiting([1], to: session)[0]
    var change = TransferChange()
    change.describe(as: "before")
    try queue.change(change, identifier, now: .noon)
    change.describe(as: text)
    #expect(!change.isEmpty)
    try queue.change(change, identifier, now: .noon)
    #expect(try queue.transfer(identifier)?.order.description == expected)
    // An app of an earlier version says so that there is none.
    change.isDescriptionEmpty = nil
    try queue.change(change, identifier, now: .noon)
    #expect(try queue.transfer(identifier)?.order.description == (text == "other" ? "other" : nil))
  }
}
