import Foundation
import LoadingModel
import Stores

/// Appends to a journal in the app. The file stays open, so that little time lies between the return of the delegate's call and the note of it: an
/// event is told again if the app is killed in between.
package final class TakenJournalWriter: Sendable {
  private let journal: TakenJournal
  /// Held while the file is written, because the file's own lock only works between processes.
  private let opened = Mutex<StoreFile?>(nil)

  package init(_ journal: TakenJournal) { self.journal = journal }

  deinit { opened.withLock { $0?.close() } }

  /// Appends the identifiers: all of them, or none if it throws.
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
