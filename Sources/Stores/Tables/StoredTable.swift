import Foundation
import ProtocolRules

/// A bounded table that a `TableStore` keeps: a value in memory, rows on disk.
protocol StoredTable: Sendable {
  associatedtype Change: TableChange

  /// An empty table.
  init()

  var isEmpty: Bool { get }

  /// Performs `change`.
  ///
  /// - Returns: The keys that were forgotten to keep the table bounded.
  mutating func apply(_ change: Change, now: Date) -> [Change.Key]

  /// What this table has that `other` hasn't, or has as it was noted earlier: the changes that put it there.
  func news(for other: Self) -> [Change]

  /// Registers the migrations that make the table on disk.
  static func register(_ migrator: inout DatabaseMigrator)

  /// Reads the table, the newest rows if there are more than it holds. Rows that can't be understood are left out.
  static func read(_ database: Database) throws -> Self

  /// Deletes all rows.
  static func clear(_ database: Database) throws

  /// Writes `change` to the rows.
  static func perform(_ change: Change, _ database: Database) throws
}

/// A change of the value of one key.
protocol TableChange: Sendable, Hashable {
  associatedtype Key: Sendable, Hashable

  var key: Key { get }
  static func removal(of key: Key) -> Self
}
