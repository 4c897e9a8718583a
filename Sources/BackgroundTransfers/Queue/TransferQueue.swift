import Foundation
import Stores

/// The transfers of all background sessions of a user, and the events that apps haven't taken, in one SQLite file.
///
/// The daemon's. Thread-safe; each function blocks, and is one transaction that survives a power cut once it has returned. Rows are read from the
/// file for each call, and not cached. This class has the transfers; `sessions`, `presence`, `log` and `reports` have the rest of the file.
///
///     add -> suspended <-> waiting -> finished or failed (the event is kept) -> taken (the row is deleted)
///
/// Orders, responses, resume data, outcomes, session terms, reasons and log lines are encrypted (`RecordSeal`). A transfer whose order can't be
/// decrypted is ended with an error when it is read. Functions that change a transfer do nothing if it has ended, because an app's change may arrive
/// after the end.
package final class TransferQueue: @unchecked Sendable {
  // @unchecked: what changes is used with the lock of `file` held; the rest is immutable.
  let file: QueueFile
  /// The sessions that the transfers belong to.
  package let sessions: QueueSessions
  /// The log that `urlload background log` shows.
  package let log: QueueLog
  /// Converts wall clock times to the moments stored in the file. Changed in transactions only.
  var time = TimeCount(reading: ClockReading(wall: .distantPast, sinceBoot: 0, boot: ""), count: .distantPast)
  /// Transfers that were ended because their records are damaged, until `takeDamaged`.
  private var damaged: [Int64] = []
  private var damageReport: (@Sendable () -> Void)?

  var seal: RecordSeal { file.seal }

  /// Whether sessions have transfers or events.
  package var presence: QueuePresence { QueuePresence(file: file) }

  /// Lists and counts for `urlload background`.
  package var reports: QueueReports { QueueReports(file: file, sessions: sessions) }

  /// Where the damaged file that was found has been moved; nil if the file was sound.
  package var movedAside: URL? { file.movedAside }

  /// Whether the file was damaged beyond reading, so that the new file has nothing of it.
  package var isBegunAnew: Bool { file.isBegunAnew }

  /// Opens or makes `queue.sqlite`.
  ///
  /// - Parameters:
  ///   - folder: The daemon's data folder.
  ///   - settings: The folder of the key; apart from `folder`, so that a copy of the data alone reveals no secrets.
  /// - Throws: `StoreFailure` if the disk can't be used.
  package init(folder: URL, settings: URL) throws {
    file = try QueueFile(folder: folder, settings: settings)
    sessions = QueueSessions(file: file)
    log = QueueLog(file: file)
    // Running apps remember events of the damaged file by identifier: the new file's identifiers begin elsewhere.
    if file.isBegunAnew { try perform(QueueTables.beginElsewhere) }
  }

  /// Has `report` called whenever a read ends a transfer because its record is damaged. The call comes from within that read; `takeDamaged` returns
  /// the transfers later.
  package func whenDamaged(_ report: @escaping @Sendable () -> Void) { file.withLock { damageReport = report } }

  /// Notes a transfer that was ended because its record is damaged. Called in a transaction.
  func noteDamage(_ transfer: Int64) {
    damaged.append(transfer)
    damageReport?()
  }

  /// Returns the noted transfers, and forgets them. Called in a transaction.
  func forgetDamage() -> [Int64] {
    defer { damaged = [] }
    return damaged
  }

  /// Closes the file; further calls throw.
  package func close() { file.close() }

  /// Runs several calls as one transaction; nested calls join the outermost one. If `body` throws, nothing has changed.
  package func transaction<Value>(_ body: (TransferQueue) throws -> Value) throws -> Value {
    try perform { _ in try body(self) }
  }

  /// Runs `body` in a transaction of its own, or in the one that this thread is in.
  func perform<Value>(_ body: (Database) throws -> Value) throws -> Value { try file.perform(body) }
}
