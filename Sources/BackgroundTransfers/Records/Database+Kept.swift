import Foundation
import Stores

extension Database {
  /// Executes a statement, which is prepared once and cached.
  func run(_ sql: String, _ arguments: StatementArguments = []) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// The rows of a query, whose statement is prepared once and cached.
  func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
  }
}

/// Reads the columns of a row one after another.
struct ColumnReader {
  private let row: Row
  private var index = 0

  init(_ row: Row) { self.row = row }

  mutating func next<Value: DatabaseValueConvertible>(_: Value.Type = Value.self) -> Value? {
    defer { index += 1 }
    return row.value(index)
  }

  mutating func date() -> Date? { next(Double.self).map { Date(stored: $0) } }
}

extension Date {
  /// The years 0 to 9999: calendars and conversions to integers trap beyond them.
  private static let storedRange = -62_167_219_200.0...253_402_300_799.0

  /// Seconds since 1970, as dates are stored, bounded to `storedRange`.
  var stored: Double {
    let seconds = timeIntervalSince1970
    return seconds.isNaN ? 0 : min(max(seconds, Date.storedRange.lowerBound), Date.storedRange.upperBound)
  }

  init(stored seconds: Double) { self.init(timeIntervalSince1970: Date(timeIntervalSince1970: seconds).stored) }
}
