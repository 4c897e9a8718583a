import CLoadingSQLite
import Foundation

/// One connection to a database. `DatabaseConnections` lends it to one block at a time.
package final class Database: @unchecked Sendable {
  // @unchecked: `DatabaseConnections` lends a connection to one block at a time, which alone uses `handle` and `kept`.
  private let handle: OpaquePointer
  private var kept: [String: Statement] = [:]

  /// - Parameters:
  ///   - path: The file, which is made if it isn't there; nil for a database in memory.
  ///   - busyTimeout: Seconds to wait for another connection's lock.
  init(path: String?, busyTimeout: Double) throws {
    // Also loads the library: its functions can't be called before that.
    if let absence = SQLiteLibrary.absence { throw DatabaseError(code: ULS_SQLITE_ERROR, message: absence) }
    var handle: OpaquePointer?
    let flags = ULS_SQLITE_OPEN_READWRITE | ULS_SQLITE_OPEN_CREATE | ULS_SQLITE_OPEN_NOMUTEX | ULS_SQLITE_OPEN_EXRESCODE
    let code = uls_sqlite_open_v2(path ?? ":memory:", &handle, flags, nil)
    guard code == ULS_SQLITE_OK, let handle else {
      let error = DatabaseError(handle, code: code)
      uls_sqlite_close_v2(handle)
      throw error
    }
    self.handle = handle
    uls_sqlite_busy_timeout(handle, Int32(clamping: Int64(busyTimeout * 1000)))
  }

  // A statement that still exists keeps the connection open until it is released.
  deinit {
    kept = [:]
    uls_sqlite_close_v2(handle)
  }

  /// Switches the file to a write-ahead log, so that readers don't wait for the writer. The setting stays with the file.
  func keepWriteAheadLog() throws {
    let mode = try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL")
    guard mode == "wal" else { throw DatabaseError(code: ULS_SQLITE_ERROR, message: "the file can't have a write-ahead log") }
  }

  /// Runs the statements in `sql`. With arguments, `sql` must be a single statement.
  package func execute(sql: String, arguments: StatementArguments = []) throws {
    try sql.withCString { text in
      var rest: UnsafePointer<CChar>? = text
      while let next = rest, next.pointee != 0 {
        let (statement, after) = try Statement.prepare(next, on: handle)
        try statement?.execute(arguments: arguments)
        rest = after
      }
    }
  }

  /// Prepares a single statement.
  func statement(sql: String) throws -> Statement {
    try Statement.required(Statement.prepare(sql, on: handle).statement)
  }

  /// A statement that is prepared once for this connection. It must be run to its end, or released, before it is asked for again.
  package func cachedStatement(sql: String) throws -> Statement {
    if let statement = kept[sql] { return statement }
    let statement = try Statement.required(Statement.prepare(sql, on: handle, isKept: true).statement)
    kept[sql] = statement
    return statement
  }

  /// The rowid of the row that was inserted last.
  package var lastInsertedRowID: Int64 { uls_sqlite_last_insert_rowid(handle) }

  /// How many rows the last statement changed.
  package var changesCount: Int { Int(uls_sqlite_changes(handle)) }

  /// Checks the whole file, including parts that only writing uses, such as the list of free pages, and that indexes have all rows.
  ///
  /// - Throws: `DatabaseError` with the code of a damaged file if it is damaged.
  func checkStructure() throws { try check("PRAGMA integrity_check(1)") }

  /// Checks the file without comparing indexes with tables: a file that passes can be read, and mostly written.
  func checkTables() throws {
    // Newer versions of SQLite count the rows of indexes here.
    try check("PRAGMA quick_check(100)") { $0.hasPrefix("wrong # of entries in index ") }
  }

  /// - Parameter isAccepted: Whether a finding is no damage.
  private func check(_ sql: String, _ isAccepted: (String) -> Bool = { _ in false }) throws {
    let findings = try String.fetchAll(self, sql: sql)
    guard !findings.isEmpty, findings.allSatisfy({ $0 == "ok" || isAccepted($0) }) else { throw DatabaseError(code: ULS_SQLITE_CORRUPT) }
  }

  /// Writes the write-ahead log into the file, and truncates the log.
  func truncateLog() throws {
    let code = uls_sqlite_wal_checkpoint_v2(handle, nil, ULS_SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    guard code == ULS_SQLITE_OK else { throw DatabaseError(handle, code: code) }
  }

  /// Runs `body` between the statement `begin` and COMMIT, or ROLLBACK if it throws.
  func inTransaction<Value>(_ begin: String, _ body: (Database) throws -> Value) throws -> Value {
    try execute(sql: begin)
    do {
      let value = try body(self)
      try execute(sql: "COMMIT")
      return value
    } catch {
      // SQLite rolls back by itself after some errors.
      if uls_sqlite_get_autocommit(handle) == 0 { try? execute(sql: "ROLLBACK") }
      throw error
    }
  }
}

extension Statement {
  fileprivate static func required(_ statement: Statement?) throws -> Statement {
    guard let statement else { throw DatabaseError(code: ULS_SQLITE_MISUSE, message: "there is no statement in the text") }
    return statement
  }
}
