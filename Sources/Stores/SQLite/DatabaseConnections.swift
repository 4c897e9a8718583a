import CLoadingSQLite
import Foundation

/// The connections of this process to one SQLite database: one that writes and some that read beside it (write-ahead log). Thread-safe.
///
/// Every function blocks its caller until a connection is free.
package final class DatabaseConnections: @unchecked Sendable {
  // @unchecked: `writer` is used with `writing` held, `readers`, `lent` and `isClosed` with `reading` held; the rest is immutable.
  /// How connections are opened.
  package struct Options: Sendable {
    /// Seconds to wait for locks of other connections.
    var busyTimeout = 10.0
    /// Most reading connections; 0 if the writing one reads as well.
    var readers = 0
    /// SQL that each connection executes when it is opened.
    var preparation = ""

    package init() {}
  }

  private let path: String?
  private let options: Options
  private let writing = NSLock()
  private var writer: Database?
  private let reading = NSCondition()
  private var readers: [Database] = []
  /// Number of reading connections that blocks are using now.
  private var lent = 0
  private var isClosed = false

  /// - Parameter path: The file, which is made if it isn't there; nil for a database in memory.
  package init(path: String?, _ options: Options = Options()) throws {
    self.path = path
    self.options = options
    let writer = try Database(path: path, busyTimeout: options.busyTimeout)
    if options.readers > 0, path != nil {
      try writer.keepWriteAheadLog()
    }
    try writer.execute(sql: options.preparation)
    // Reads the file's first page, so that a file that isn't a database is noticed now.
    try writer.execute(sql: "PRAGMA schema_version")
    self.writer = writer
  }

  /// Runs `body` in a transaction that may write; it is committed when this returns.
  package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try withWriter { try $0.inTransaction("BEGIN IMMEDIATE", body) }
  }

  /// Runs `body` with the writing connection, outside of any transaction.
  func withWriter<Value>(_ body: (Database) throws -> Value) throws -> Value {
    writing.lock()
    defer { writing.unlock() }
    guard let writer else { throw DatabaseConnections.closed }
    return try body(writer)
  }

  /// Runs `body` in a transaction that reads a consistent state, while others may write.
  package func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    guard options.readers > 0, path != nil else { return try withWriter { try $0.inTransaction("BEGIN", body) } }
    let reader = try borrowReader()
    defer { giveBack(reader) }
    return try reader.inTransaction("BEGIN", body)
  }

  private func borrowReader() throws -> Database {
    reading.lock()
    defer { reading.unlock() }
    while readers.isEmpty, lent == options.readers, !isClosed { reading.wait() }
    guard !isClosed else { throw DatabaseConnections.closed }
    let reader = try readers.popLast() ?? makeReader()
    lent += 1
    return reader
  }

  private func makeReader() throws -> Database {
    let reader = try Database(path: path, busyTimeout: options.busyTimeout)
    try reader.execute(sql: options.preparation + "; PRAGMA query_only = ON")
    return reader
  }

  private func giveBack(_ reader: Database) {
    reading.lock()
    defer { reading.unlock() }
    lent -= 1
    if !isClosed { readers.append(reader) }
    reading.broadcast()
  }

  /// Closes the file once the blocks that use it have ended; further calls throw. Not to be called from such a block.
  package func close() {
    reading.lock()
    isClosed = true
    reading.broadcast()
    while lent > 0 { reading.wait() }
    readers = []
    reading.unlock()
    writing.lock()
    writer = nil
    writing.unlock()
  }

  private static var closed: DatabaseError { DatabaseError(code: ULS_SQLITE_MISUSE, message: "the database was closed") }
}
