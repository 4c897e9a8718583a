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
    let isKnown = connection.map { uls_sqlite_extended_errcode($0) & 0xFF == code & 0xFF } ?? false
    extendedCode = isKnown ? uls_sqlite_extended_errcode(connection) : code
    message = String(cString: isKnown ? uls_sqlite_errmsg(connection) : uls_sqlite_errstr(code))
  }

  /// The primary result code.
  package var code: Int32 { extendedCode & 0xFF }

  /// Whether the file's contents are the trouble and not access to it.
  package var isDamage: Bool { code == ULS_SQLITE_CORRUPT || code == ULS_SQLITE_NOTADB }

  /// Whether it is the machine's, or another connection's, and may not be there the next time: no room, no memory, a lock, a disk that fails.
  var mayPass: Bool { [ULS_SQLITE_FULL, ULS_SQLITE_IOERR, ULS_SQLITE_NOMEM, ULS_SQLITE_BUSY, ULS_SQLITE_LOCKED].contains(code) }

  /// Whether there was no room, for the database or for the memory that its users share (which is a file, too).
  package var isFullDisk: Bool { code == ULS_SQLITE_FULL || extendedCode == ULS_SQLITE_IOERR_SHMSIZE }

  package var description: String { "SQLite result \(extendedCode)" + (message.map { ": \($0)" } ?? "") }
}
