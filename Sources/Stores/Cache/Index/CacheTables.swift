/// The tables of the cache's database.
///
///     responses  one row a response; the body is in `bodies` if it is small, else in a file named by the id; its checksums
///                follow it (`BodyChecksums`)
///     usage      bytes that all responses take, updated by triggers, so that no process has to add them up
///     changes    which URLs have changed lately, for the other processes: `hash` NULL means all
enum CacheTables {
  static func register(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("cache 1") { database in
      try database.execute(sql: tables)
      try database.execute(sql: triggers)
    }
    // Since this migration bodies have checksums. Responses stored before have none: they are deleted, and their files are swept later.
    migrator.registerMigration("cache 2") { database in
      try database.execute(sql: "DELETE FROM responses; INSERT INTO changes (hash, writer) VALUES (NULL, 0)")
    }
  }

  private static let tables = """
    CREATE TABLE responses (
      id INTEGER PRIMARY KEY,
      hash INTEGER NOT NULL,
      variant INTEGER NOT NULL,
      size INTEGER NOT NULL,
      length INTEGER NOT NULL,
      place INTEGER NOT NULL,
      used REAL NOT NULL,
      stored REAL NOT NULL,
      url TEXT NOT NULL,
      record BLOB NOT NULL
    );
    CREATE INDEX responses_hash ON responses (hash);
    CREATE INDEX responses_used ON responses (used);
    CREATE TABLE bodies (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE usage (id INTEGER PRIMARY KEY CHECK (id = 1), bytes INTEGER NOT NULL);
    INSERT INTO usage VALUES (1, 0);
    CREATE TABLE changes (sequence INTEGER PRIMARY KEY AUTOINCREMENT, hash INTEGER, writer INTEGER NOT NULL);
    """

  private static let triggers = """
    CREATE TRIGGER responses_insert AFTER INSERT ON responses BEGIN
      UPDATE usage SET bytes = bytes + new.size WHERE id = 1;
    END;
    CREATE TRIGGER responses_delete AFTER DELETE ON responses BEGIN
      UPDATE usage SET bytes = bytes - old.size WHERE id = 1;
      DELETE FROM bodies WHERE id = old.id;
    END;
    CREATE TRIGGER responses_update AFTER UPDATE OF size ON responses BEGIN
      UPDATE usage SET bytes = bytes + new.size - old.size WHERE id = 1;
    END;
    """
}

/// Where a stored body is: values of the column `place`.
enum BodyPlace: Int {
  case row = 0
  case file = 1
}
