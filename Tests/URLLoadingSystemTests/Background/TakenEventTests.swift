import BackgroundTransfers
import Foundation
import Testing

@testable import URLLoadingSystem

/// Which events of the daemon's a session notes as taken.
@Suite struct TakenEventTests {
  @Test func refusalsAreNotNoted() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "taken-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: try #require(URL(string: "http://a.test/")))
    let journal = TakenJournal(folder: folder, session: 1)
    let carrier = BackgroundSession(.ephemeral, identifier: "taken", nil)
    // Nothing attaches it: the groups that it has entered would end in use.
    defer { carrier.settle() }
    carrier.state.withLock { state in
      state.journal = TakenJournalWriter(journal)
      for number in 1...2 {
        state.tasks.add(task, number)
        _ = state.tasks.discard(number)
      }
    }
    let orders = (1...2).map { TransferOrder(task: $0, kind: .download, request: Data(), shownURL: "http://a.test/") }
    carrier.told(of: TransferEvent(refusing: orders[0], ErrorValue(domain: NSURLErrorDomain, code: NSURLErrorCancelled, description: "")))
    #expect(!FileManager.default.fileExists(atPath: journal.file.path(percentEncoded: false)))
    carrier.told(of: TransferEvent(identifier: 5, task: 2, order: orders[1], kind: .download, outcome: TransferOutcome()))
    #expect(try journal.takeAll() == [5])
  }
}
