/// One row of a result.
package struct Row: Sendable {
  private let names: [String]
  private let values: [DatabaseValue]

  fileprivate init(_ names: [String], _ values: [DatabaseValue]) { (self.names, self.values) = (names, values) }

  /// The value of a column, by its place; null if there are fewer columns.
  package subscript(index: Int) -> DatabaseValue { values.indices.contains(index) ? values[index] : .null }

  /// The value of a column, by its name; null if there is no such column.
  package subscript(name: String) -> DatabaseValue { names.firstIndex(of: name).map { self[$0] } ?? .null }

  /// The value of a column; nil if it is NULL or of another kind, as may happen in a damaged file.
  package func value<Value: DatabaseValueConvertible>(_ index: Int, _ type: Value.Type = Value.self) -> Value? {
    Value.fromDatabaseValue(self[index])
  }
}

/// The rows of a result, one after the other. Holds a read lock of the database until the last row is read or the cursor is released.
package final class RowCursor {
  private let statement: Statement
  private let names: [String]

  fileprivate init(_ statement: Statement, _ arguments: StatementArguments) throws {
    self.statement = statement
    names = statement.columnNames
    try statement.begin(arguments)
  }

  deinit { statement.end() }

  package func next() throws -> Row? {
    try statement.step() ? Row(names, statement.values) : nil
  }
}

extension Row {
  package static func fetchCursor(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> RowCursor {
    try RowCursor(database.statement(sql: sql), arguments)
  }

  package static func fetchAll(_ statement: Statement, arguments: StatementArguments = []) throws -> [Row] {
    let cursor = try RowCursor(statement, arguments)
    var rows: [Row] = []
    while let row = try cursor.next() { rows.append(row) }
    return rows
  }

  package static func fetchAll(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> [Row] {
    try fetchAll(database.statement(sql: sql), arguments: arguments)
  }

  package static func fetchOne(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> Row? {
    try fetchCursor(database, sql: sql, arguments: arguments).next()
  }
}

/// The first column of a result.
package final class ValueCursor<Value: DatabaseValueConvertible> {
  private let rows: RowCursor

  fileprivate init(_ rows: RowCursor) { self.rows = rows }

  /// The next value; those that are NULL or of another kind are left out.
  package func next() throws -> Value? {
    while let row = try rows.next() {
      if let value = row.value(0, Value.self) { return value }
    }
    return nil
  }
}

extension DatabaseValueConvertible {
  package static func fetchCursor(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> ValueCursor<Self> {
    ValueCursor(try Row.fetchCursor(database, sql: sql, arguments: arguments))
  }

  package static func fetchAll(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> [Self] {
    let cursor = try fetchCursor(database, sql: sql, arguments: arguments)
    var values: [Self] = []
    while let value = try cursor.next() { values.append(value) }
    return values
  }

  /// The first column of the first row; nil if there is no row, or the value is NULL or of another kind.
  package static func fetchOne(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> Self? {
    try Row.fetchOne(database, sql: sql, arguments: arguments)?.value(0)
  }
}
