import Foundation
import LoadingModel
import Stores

/// The app's end of a journal. Its file stays open: a process that is killed after an app's call has returned, and before that is noted, is told
/// once more, so that little may lie between the two.
package final class TakenJournalWriter: Sendable {
  private let journal: TakenJournal
  /// Held while the file is written: one writer at a time is what its lock is for as well.
  private let opened = Mutex<StoreFile?>(nil)

  package init(_ journal: TakenJournal) { self.journal = journal }

  deinit { opened.withLock { $0?.close() } }

  /// Appends the identifiers, all of them or none.
  ///
  /// - Throws: `StoreFailure`, also if the disk is full.
  package func append(events: [Int64]) throws {
    try opened.withLock { opened in
      if let file = opened, !file.isInPlace {
        file.close()
        opened = nil
      }
      let file = try opened ?? open()
      opened = file
      try file.lock(patience: TakenJournal.patience)
      defer { file.unlock() }
      try TakenJournal.append(events, to: file)
    }
  }

  private func open() throws -> StoreFile {
    do {
      try StoreFiles.makeFolder(journal.file.deletingLastPathComponent())
      return try StoreFile(journal.file)
    } catch {
      throw StoreFailure(path: journal.file.path(percentEncoded: false), error).asRefusal
    }
  }
}
