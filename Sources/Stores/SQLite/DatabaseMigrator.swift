/// The migrations of a database, each of which is executed once in the life of the file.
package struct DatabaseMigrator {
  private var migrations: [(name: String, perform: (Database) throws -> Void)] = []

  package init() {}

  /// Adds a migration. The file remembers by its name that it was executed.
  package mutating func registerMigration(_ name: String, migrate: @escaping (Database) throws -> Void) {
    migrations.append((name, migrate))
  }

  /// Executes the migrations that the file doesn't have yet, each in a transaction. If it has all, the file is only read.
  func migrate(_ connections: DatabaseConnections) throws {
    let applied = try connections.read(DatabaseMigrator.applied)
    for migration in migrations where !applied.contains(migration.name) {
      try connections.write { database in
        // The table is named as by GRDB, with which earlier versions of this library made it.
        try database.execute(sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        guard try !DatabaseMigrator.applied(database).contains(migration.name) else { return }
        try migration.perform(database)
        try database.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)", arguments: [migration.name])
      }
    }
  }

  private static func applied(_ database: Database) throws -> Set<String> {
    let isThere = try Int.fetchOne(database, sql: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'grdb_migrations'")
    return isThere == nil ? [] : Set(try String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations"))
  }
}
