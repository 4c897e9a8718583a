import CLoadingSQLite

/// The failure of a call of SQLite. Its message has no values of the database.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
  /// The extended result code (sqlite.org/rescode.html).
  package let extendedCode: Int32
  package let message: String?

  package init(code: Int32, message: String? = nil) {
    extendedCode = code
    self.message = message
  }

  /// Makes the error from the connection's last failure.
  ///
  /// - Parameter code: The result code that the call returned.
  init(_ connection: OpaquePointer?, code: Int32) {
    let isKnown = connection.map { uls_sqlite_extended_errcode($0) & 0xFF == code & 0xFF } ?? false
    extendedCode = isKnown ? uls_sqlite_extended_errcode(connection) : code
    message = String(cString: isKnown ? uls_sqlite_errmsg(connection) : uls_sqlite_errstr(code))
  }

  /// The primary result code.
  package var code: Int32 { extendedCode & 0xFF }

  /// Whether the file itself is damaged or no database, as opposed to an error in accessing it.
  package var isDamage: Bool { code == ULS_SQLITE_CORRUPT || code == ULS_SQLITE_NOTADB }

  /// Whether the error may be gone at the next attempt: no space, no memory, another connection's lock, a failing disk.
  var mayPass: Bool { [ULS_SQLITE_FULL, ULS_SQLITE_IOERR, ULS_SQLITE_NOMEM, ULS_SQLITE_BUSY, ULS_SQLITE_LOCKED].contains(code) }

  /// Whether the disk is full: for the database, or for the file of its shared memory (`-shm`).
  package var isFullDisk: Bool { code == ULS_SQLITE_FULL || extendedCode == ULS_SQLITE_IOERR_SHMSIZE }

  package var description: String { "SQLite result \(extendedCode)" + (message.map { ": \($0)" } ?? "") }
}
