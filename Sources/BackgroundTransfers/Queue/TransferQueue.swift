import Foundation
import Stores

/// The transfers of all background sessions of a user, and the events that apps haven't taken, in one SQLite file.
///
/// The daemon's. Thread-safe; each function blocks, and is one transaction that survives a power cut when it has returned. Rows are read
/// when they are asked for: nothing of the queue stays in memory.
///
///     add -> suspended <-> waiting -> finished or failed (the event is kept) -> taken (the row is deleted)
///
/// Orders, responses, resume data, outcomes, session terms, reasons and log lines are sealed (`RecordSeal`). A transfer whose order can't
/// be opened ends with an error when it is read. Functions that change a transfer do nothing if it has ended: an end and a change race.
package final class TransferQueue: @unchecked Sendable {
  // @unchecked: what changes is used with `lock` held; the rest is immutable.
  static let fileName = "queue.sqlite"

  /// The transaction that `transaction` has begun.
  private final class JointTransaction {
    let database: Database
    /// A statement has failed: SQLite may have rolled the transaction back, and further statements would be committed one by one.
    var failure: DatabaseError?

    init(_ database: Database) { self.database = database }
  }

  let seal: RecordSeal
  private let database: StoreDatabase
  /// Recursive: calls inside of `transaction` come from the thread that has it.
  private let lock = NSRecursiveLock()
  private var joint: JointTransaction?
  /// What moments of the wall clock are in the queue's count. Changed in a transaction.
  var time = TimeCount(reading: ClockReading(wall: .distantPast, sinceBoot: 0, boot: ""), count: .distantPast)
  /// Transfers that were ended because they can't be read, and haven't been asked for.
  private var damaged: [Int64] = []
  private var damageReport: (@Sendable () -> Void)?

  /// Where the damaged file that was found has been moved; nil if the file was sound.
  package var movedAside: URL? { database.movedAside }

  /// Opens or makes `queue.sqlite`.
  ///
  /// - Parameters:
  ///   - folder: The daemon's data folder.
  ///   - settings: The folder of the key; another one, so that a copy of the data alone has no secrets.
  /// - Throws: `StoreFailure` if the disk can't be used.
  package init(folder: URL, settings: URL) throws {
    let file = folder.appending(path: TransferQueue.fileName, directoryHint: .notDirectory)
    do {
      seal = try RecordSeal(keyFile: settings.appending(path: "urlsessiond.key", directoryHint: .notDirectory))
      database = try StoreDatabase(
        url: file, durability: .systemEnd, migrations: QueueTables.register, probe: QueueTables.probe)
    } catch {
      throw StoreFailure(path: file.path(percentEncoded: false), error).asRefusal
    }
    if let failure = database.failure {
      database.close()
      throw failure.asRefusal
    }
    // Apps that live on remember events of the damaged file: identifiers begin elsewhere.
    if database.movedAside != nil { try perform(QueueTables.beginElsewhere) }
  }

  deinit { database.close() }

  /// Has `report` called whenever a read finds a transfer that can't be read any more, and ends it. Called from within that read:
  /// `takeDamaged` says later which it was.
  package func whenDamaged(_ report: @escaping @Sendable () -> Void) { lock.withLock { damageReport = report } }

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
  package func close() { database.close() }

  /// Runs several calls as one transaction; nested calls join the outermost one. If `body` throws, nothing has changed.
  package func transaction<Value>(_ body: (TransferQueue) throws -> Value) throws -> Value {
    try perform { _ in try body(self) }
  }

  /// Runs `body` in a transaction of its own, or in the one that this thread is in.
  func perform<Value>(_ body: (Database) throws -> Value) throws -> Value {
    lock.lock()
    defer { lock.unlock() }
    if let joint { return try join(joint, body) }
    do {
      return try database.write { database in
        let joint = JointTransaction(database)
        self.joint = joint
        defer { self.joint = nil }
        let value = try body(database)
        if let failure = joint.failure { throw failure }
        return value
      }
    } catch let error as DatabaseError where error.isFullDisk {
      throw StoreFailure(path: database.url.path(percentEncoded: false), error).asRefusal
    }
  }

  private func join<Value>(_ joint: JointTransaction, _ body: (Database) throws -> Value) throws -> Value {
    if let failure = joint.failure { throw failure }
    do {
      return try body(joint.database)
    } catch let error as DatabaseError {
      joint.failure = joint.failure ?? error
      throw error
    }
  }
}
