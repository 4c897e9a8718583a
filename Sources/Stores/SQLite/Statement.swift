import CLoadingSQLite
import Foundation

/// A prepared statement. Like its connection, it is confined to the block that the connection was lent to.
package final class Statement {
  private let handle: OpaquePointer

  /// - Parameter handle: SQLite's statement, which belongs to this object from now on.
  fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { uls_sqlite_finalize(handle) }

  /// Prepares the first statement in `sql`.
  ///
  /// - Parameter isKept: Whether the statement is cached and used again.
  /// - Returns: The statement, nil if there are only comments and blanks; and where the text behind it begins.
  static func prepare(
    _ sql: UnsafePointer<CChar>, on connection: OpaquePointer, isKept: Bool = false
  ) throws -> (statement: Statement?, rest: UnsafePointer<CChar>?) {
    var handle: OpaquePointer?
    var rest: UnsafePointer<CChar>?
    let code = uls_sqlite_prepare_v3(connection, sql, -1, isKept ? UInt32(ULS_SQLITE_PREPARE_PERSISTENT) : 0, &handle, &rest)
    guard code == ULS_SQLITE_OK else { throw DatabaseError(connection, code: code) }
    return (handle.map { Statement($0) }, rest)
  }

  /// Resets the statement and binds these arguments.
  func begin(_ arguments: StatementArguments) throws {
    uls_sqlite_reset(handle)
    let count = Int(uls_sqlite_bind_parameter_count(handle))
    guard arguments.values.count == count else {
      throw DatabaseError(
        code: ULS_SQLITE_MISUSE, message: "the statement takes \(count) arguments and was given \(arguments.values.count)")
    }
    for (index, value) in zip(Int32(1)..., arguments.values) {
      let code = bind(value, index)
      guard code == ULS_SQLITE_OK else { throw DatabaseError(uls_sqlite_db_handle(handle), code: code) }
    }
  }

  private func bind(_ value: DatabaseValue, _ index: Int32) -> Int32 {
    switch value {
    case .null: return uls_sqlite_bind_null(handle, index)
    case .integer(let number): return uls_sqlite_bind_int64(handle, index, number)
    case .real(let number): return uls_sqlite_bind_double(handle, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { uls_sqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count)) }
      }
    case .blob(let data): return data.withUnsafeBytes { uls_sqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
    }
  }

  /// Steps to the next row.
  ///
  /// - Returns: Whether there is one. After the last, or an error, the statement holds no lock.
  func step() throws -> Bool {
    let code = uls_sqlite_step(handle)
    switch code {
    case ULS_SQLITE_ROW: return true
    case ULS_SQLITE_DONE:
      uls_sqlite_reset(handle)
      return false
    default:
      let error = DatabaseError(uls_sqlite_db_handle(handle), code: code)
      uls_sqlite_reset(handle)
      throw error
    }
  }

  /// Runs the statement to its end.
  package func execute(arguments: StatementArguments = []) throws {
    try begin(arguments)
    while try step() {}
  }

  /// Resets the statement: rows that weren't read are given up, and it holds no lock.
  func end() { uls_sqlite_reset(handle) }

  var columnNames: [String] {
    (0..<uls_sqlite_column_count(handle)).map { index in uls_sqlite_column_name(handle, index).map { String(cString: $0) } ?? "" }
  }

  /// The values of the current row.
  var values: [DatabaseValue] { (0..<uls_sqlite_data_count(handle)).map(value) }

  private func value(_ index: Int32) -> DatabaseValue {
    switch uls_sqlite_column_type(handle, index) {
    case ULS_SQLITE_INTEGER: return .integer(uls_sqlite_column_int64(handle, index))
    case ULS_SQLITE_FLOAT: return .real(uls_sqlite_column_double(handle, index))
    case ULS_SQLITE_TEXT:
      // The pointer comes first: asking for it may convert the value, and the count is that of the converted one.
      guard let bytes = uls_sqlite_column_text(handle, index) else { return .null }
      let count = Int(uls_sqlite_column_bytes(handle, index))
      return .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
    case ULS_SQLITE_BLOB:
      let bytes = uls_sqlite_column_blob(handle, index)
      return .blob(bytes.map { Data(bytes: $0, count: Int(uls_sqlite_column_bytes(handle, index))) } ?? Data())
    default: return .null
    }
  }
}
