import Foundation
import Stores
import Testing

@testable import BackgroundTransfers

/// The file by which an app says what it has taken.
@Suite(.timeLimit(.minutes(10))) struct TakenJournalTests {
  private let folder = QueueFolder()
  var journal: TakenJournal { TakenJournal(folder: folder.url.appending(path: "taken"), session: 12) }

  @Test func whatWasAppendedIsTakenOnceAndInOrder() throws {
    #expect(try journal.takeAll() == [])
    try journal.append(events: [1, .max])
    try journal.append(events: [])
    try journal.append(events: [3])
    #expect(journal.file.lastPathComponent == "12.taken")
    #expect(try Data(contentsOf: journal.file).prefix(8) == Data([1, 0, 0, 0, 0, 0, 0, 0]))
    #expect(try journal.takeAll() == [1, .max, 3])
    #expect(try journal.takeAll() == [])
    try journal.append(events: [4])
    #expect(try journal.takeAll() == [4])
  }

  @Test func eventsStayUntilTheyAreCommitted() throws {
    struct Failed: Error {}
    try journal.append(events: [1, 2])
    #expect(throws: Failed.self) { try journal.takeAll { _ in throw Failed() } }
    var committed: [Int64] = []
    try journal.takeAll { committed = $0 }
    #expect(committed == [1, 2])
  }

  @Test func aPieceOfAnIdentifierIsPassedOver() throws {
    try journal.append(events: [1])
    let handle = try FileHandle(forWritingTo: journal.file)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([9, 9, 9]))
    try handle.close()
    try journal.append(events: [2])
    #expect(try journal.takeAll() == [1, 2])
  }

  @Test func appendingAndTakingAtOnceLosesNothing() async throws {
    let journal = journal
    var taken: [Int64] = []
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in 0..<4 {
        group.addTask { for number in 0..<100 { try journal.append(events: [Int64(part * 100 + number)]) } }
      }
      for _ in 0..<50 { taken += try journal.takeAll() }
      try await group.waitForAll()
    }
    taken += try journal.takeAll()
    #expect(taken.sorted() == Array(0..<400))
  }

  @Test func aLinkInThePlaceOfTheJournalIsRefused() throws {
    let target = folder.url.appending(path: "target")
    try Data("12345678".utf8).write(to: target)
    try FileManager.default.createDirectory(at: folder.url.appending(path: "taken"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: journal.file, withDestinationURL: target)
    #expect(throws: StoreFailure.self) { try journal.append(events: [1]) }
    #expect(throws: StoreFailure.self) { try journal.takeAll() }
    #expect(try Data(contentsOf: target) == Data("12345678".utf8))
  }
}

extension TakenJournalTests {
  @Test func aWriterOutlivesTheRemovalOfItsFile() throws {
    let writer = TakenJournalWriter(journal)
    try writer.append(events: [1, 2])
    #expect(try journal.takeAll() == [1, 2])
    try writer.append(events: [3])
    #expect(try journal.takeAll() == [3])
    journal.remove()
    try writer.append(events: [4])
    #expect(try journal.takeAll() == [4])
  }
}
