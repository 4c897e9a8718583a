import Foundation

/// A value of a column, by SQLite's storage classes.
package enum DatabaseValue: Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

/// A type whose values can be bound to a statement and read from a column.
package protocol DatabaseValueConvertible {
  var databaseValue: DatabaseValue { get }

  /// The value in a column; nil if it is of another kind, as may happen in a damaged file.
  static func fromDatabaseValue(_ value: DatabaseValue) -> Self?
}

extension Int64: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { .integer(self) }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> Int64? {
    switch value {
    case .integer(let number): number
    case .real(let number): Int64(exactly: number)
    case .null, .text, .blob: nil
    }
  }
}

extension Int: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { .integer(Int64(self)) }
  package static func fromDatabaseValue(_ value: DatabaseValue) -> Int? { Int64.fromDatabaseValue(value).flatMap { Int(exactly: $0) } }
}

extension Double: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { .real(self) }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .real(let number): number
    case .null, .text, .blob: nil
    }
  }
}

extension Bool: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }
  package static func fromDatabaseValue(_ value: DatabaseValue) -> Bool? { Int64.fromDatabaseValue(value).map { $0 != 0 } }
}

extension String: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { .text(self) }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> String? {
    switch value {
    case .text(let text): text
    case .blob(let bytes): String(data: bytes, encoding: .utf8)
    case .null, .integer, .real: nil
    }
  }
}

extension Data: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { .blob(self) }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> Data? {
    switch value {
    case .blob(let bytes): bytes
    case .text(let text): Data(text.utf8)
    case .null, .integer, .real: nil
    }
  }
}

/// The values of a statement's parameters, in order; nil is NULL.
package struct StatementArguments: Sendable, ExpressibleByArrayLiteral {
  let values: [DatabaseValue]

  package init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
    values = elements.map { $0?.databaseValue ?? .null }
  }
}
