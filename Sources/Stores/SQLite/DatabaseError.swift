import CLoadingSQLite

/// A call of SQLite failed. Its message holds no values.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
  /// The extended result code (sqlite.org/rescode.html).
  package let extendedCode: Int32
  package let message: String?

  package init(code: Int32, message: String? = nil) {
    extendedCode = code
    self.message = message
  }

  /// The last failure on a connection.
  ///
  /// - Parameter code: What the call returned.
  init(_ connection: OpaquePointer?, code: Int32) {
    let isKnown = connection.map { sqlite3_extended_errcode($0) & 0xFF == code & 0xFF } ?? false
    extendedCode = isKnown ? sqlite3_extended_errcode(connection) : code
    message = String(cString: isKnown ? sqlite3_errmsg(connection) : sqlite3_errstr(code))
  }

  /// The primary result code.
  package var code: Int32 { extendedCode & 0xFF }

  /// Whether the file's contents are the trouble and not access to it.
  package var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

  /// Whether there was no room, for the database or for the memory that its users share (which is a file, too).
  package var isFullDisk: Bool { code == SQLITE_FULL || extendedCode == uls_sqlite_ioerr_shmsize }

  package var description: String { "SQLite result \(extendedCode)" + (message.map { ": \($0)" } ?? "") }
}
