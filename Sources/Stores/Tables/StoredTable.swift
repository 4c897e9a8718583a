import Foundation
import ProtocolRules

/// A bounded table that a `TableStore` keeps, as a value in memory and as rows on disk.
protocol StoredTable: Sendable {
  associatedtype Change: TableChange

  /// An empty table.
  init()

  var isEmpty: Bool { get }

  /// Applies `change` to the table in memory.
  ///
  /// - Returns: The keys that were removed to keep the table bounded.
  mutating func apply(_ change: Change, now: Date) -> [Change.Key]

  /// The changes that add to `other` the entries that it lacks, or of which it has an older version.
  func news(for other: Self) -> [Change]

  /// Registers the migrations that make the table on disk.
  static func register(_ migrator: inout DatabaseMigrator)

  /// Reads the table from disk; if there are more rows than it holds, the newest ones. Damaged rows are left out.
  static func read(_ database: Database) throws -> Self

  /// Deletes all rows on disk.
  static func clear(_ database: Database) throws

  /// Applies `change` to the rows on disk.
  static func perform(_ change: Change, _ database: Database) throws
}

/// A change of the entry of one key: a new value, or its removal.
protocol TableChange: Sendable, Hashable {
  associatedtype Key: Sendable, Hashable

  var key: Key { get }
  static func removal(of key: Key) -> Self
}
