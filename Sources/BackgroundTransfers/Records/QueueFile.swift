import Foundation
import Stores

/// The SQLite file of the queue, with the key of its records; runs one transaction at a time.
///
/// `TransferQueue` and its parts share it. Thread-safe; each function blocks, and what it has written survives a power cut once it has returned.
final class QueueFile: @unchecked Sendable {
  // @unchecked: what changes is used with `lock` held; the rest is immutable.
  static let name = "queue.sqlite"

  /// The transaction that `perform` has begun, which nested calls join.
  private final class JointTransaction {
    let database: Database
    /// The first error of a statement: SQLite may have rolled the transaction back, and later statements would be committed one by one.
    var failure: DatabaseError?

    init(_ database: Database) { self.database = database }
  }

  let seal: RecordSeal
  private let database: StoreDatabase
  /// Recursive, because calls within a transaction come from the thread that holds the lock.
  private let lock = NSRecursiveLock()
  private var joint: JointTransaction?

  /// Where the damaged file that was found has been moved; nil if the file was sound.
  var movedAside: URL? { database.movedAside }

  /// Whether a damaged file was found of which nothing could be read.
  var isBegunAnew: Bool { database.movedAside != nil && !database.isSalvaged }

  /// Opens or makes the file in `folder`, and the key in `settings`.
  ///
  /// - Throws: `StoreFailure` if the disk can't be used.
  init(folder: URL, settings: URL) throws {
    let file = folder.appending(path: QueueFile.name, directoryHint: .notDirectory)
    do {
      seal = try RecordSeal(keyFile: settings.appending(path: "urlsessiond.key", directoryHint: .notDirectory))
      // The whole file is checked on each opening, once in a daemon's life: damage in pages that only writing touches would make each change fail.
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

  /// Closes the file; further calls throw.
  func close() { database.close() }

  /// Runs `body` while no transaction runs, without beginning one.
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
