import Foundation
import Stores

/// The SQLite file of a queue, with the key of its records, and one transaction at a time.
///
/// `TransferQueue`'s and that of its parts. Thread-safe; each function blocks, and what it has written survives a power cut when it has
/// returned.
final class QueueFile: @unchecked Sendable {
  // @unchecked: what changes is used with `lock` held; the rest is immutable.
  static let name = "queue.sqlite"

  /// The transaction that `perform` has begun.
  private final class JointTransaction {
    let database: Database
    /// A statement has failed: SQLite may have rolled the transaction back, and further statements would be committed one by one.
    var failure: DatabaseError?

    init(_ database: Database) { self.database = database }
  }

  let seal: RecordSeal
  private let database: StoreDatabase
  /// Recursive: calls inside of a transaction come from the thread that has it.
  private let lock = NSRecursiveLock()
  private var joint: JointTransaction?

  /// Where the damaged file that was found has been moved; nil if the file was sound.
  var movedAside: URL? { database.movedAside }

  /// Whether there is nothing of the damaged file in the new one.
  var isBegunAnew: Bool { database.movedAside != nil && !database.isSalvaged }

  /// Opens or makes the file in `folder`, and the key in `settings`.
  ///
  /// - Throws: `StoreFailure` if the disk can't be used.
  init(folder: URL, settings: URL) throws {
    let file = folder.appending(path: QueueFile.name, directoryHint: .notDirectory)
    do {
      seal = try RecordSeal(keyFile: settings.appending(path: "urlsessiond.key", directoryHint: .notDirectory))
      // Looked through at each opening, which is once in the life of a daemon: damage that only writing meets would refuse each change.
      database = try StoreDatabase(
        url: file, durability: .systemEnd, migrations: QueueTables.register, isSuspect: true, salvages: true, probe: QueueTables.probe)
    } catch {
      throw StoreFailure(path: file.path(percentEncoded: false), error).asRefusal
    }
    if let failure = database.failure {
      database.close()
      throw failure.asRefusal
    }
  }

  deinit { database.close() }

  /// Further calls throw.
  func close() { database.close() }

  /// Runs `body` under the lock of the transactions, without one.
  func withLock<Value>(_ body: () -> Value) -> Value { lock.withLock(body) }

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
