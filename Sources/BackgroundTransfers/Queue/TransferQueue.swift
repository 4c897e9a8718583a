import Foundation
import Stores

/// The transfers of all background sessions of a user, and the events that apps haven't taken, in one SQLite file.
///
/// The daemon's. Thread-safe; each function blocks, and is one transaction that survives a power cut when it has returned. Rows are read
/// when they are asked for: nothing of the queue stays in memory. The transfers are here; `sessions`, `presence`, `log` and `reports` have
/// the rest of the file.
///
///     add -> suspended <-> waiting -> finished or failed (the event is kept) -> taken (the row is deleted)
///
/// Orders, responses, resume data, outcomes, session terms, reasons and log lines are sealed (`RecordSeal`). A transfer whose order can't
/// be opened ends with an error when it is read. Functions that change a transfer do nothing if it has ended: an end and a change race.
package final class TransferQueue: @unchecked Sendable {
  // @unchecked: what changes is used with the lock of `file` held; the rest is immutable.
  let file: QueueFile
  /// The sessions that the transfers belong to.
  package let sessions: QueueSessions
  /// What has happened, for the tool.
  package let log: QueueLog
  /// What moments of the wall clock are in the queue's count. Changed in a transaction.
  var time = TimeCount(reading: ClockReading(wall: .distantPast, sinceBoot: 0, boot: ""), count: .distantPast)
  /// Transfers that were ended because they can't be read, and haven't been asked for.
  private var damaged: [Int64] = []
  private var damageReport: (@Sendable () -> Void)?

  var seal: RecordSeal { file.seal }

  /// What there is of each session.
  package var presence: QueuePresence { QueuePresence(file: file) }

  /// What the tool shows of the queue.
  package var reports: QueueReports { QueueReports(file: file, sessions: sessions) }

  /// Where the damaged file that was found has been moved; nil if the file was sound.
  package var movedAside: URL? { file.movedAside }

  /// Whether the damaged file that was found couldn't be read: nothing of it is in the new one.
  package var isBegunAnew: Bool { file.isBegunAnew }

  /// Opens or makes `queue.sqlite`.
  ///
  /// - Parameters:
  ///   - folder: The daemon's data folder.
  ///   - settings: The folder of the key; another one, so that a copy of the data alone has no secrets.
  /// - Throws: `StoreFailure` if the disk can't be used.
  package init(folder: URL, settings: URL) throws {
    file = try QueueFile(folder: folder, settings: settings)
    sessions = QueueSessions(file: file)
    log = QueueLog(file: file)
    // Apps that live on remember events of the damaged file: identifiers begin elsewhere.
    if file.isBegunAnew { try perform(QueueTables.beginElsewhere) }
  }

  /// Has `report` called whenever a read finds a transfer that can't be read any more, and ends it. Called from within that read:
  /// `takeDamaged` says later which it was.
  package func whenDamaged(_ report: @escaping @Sendable () -> Void) { file.withLock { damageReport = report } }

  /// In a transaction.
  func noteDamage(_ transfer: Int64) {
    damaged.append(transfer)
    damageReport?()
  }

  /// In a transaction.
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
