import Foundation
import Stores

/// The tables of the queue. Times are seconds since 1970 as `TimeCount` counts them; encrypted values are blobs.
///
/// `transfers` has the columns that are queried or change often, in short rows; `contents` has the large values. A transfer's identifier is that of
/// its event as well; identifiers of transfers and of sessions are never used again.
enum QueueTables {
  /// Values of `transfers.state`. Statements have the numbers as literals, because partial indexes apply only then.
  enum State: Int {
    case waiting = 0
    case suspended = 1
    case finished = 2
    case failed = 3
  }

  static func register(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("1") { database in
      try database.execute(sql: sessions)
      // A journal of taken events is named by the session's identifier. Identifiers begin at a random number, so that a database that replaces a
      // damaged one doesn't read the journals of the old one.
      try database.execute(
        sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('sessions', ?)", arguments: [Int64.random(in: 1..<(1 << 48))])
      try database.execute(sql: transfers)
      try database.execute(sql: indexes)
      try database.execute(sql: log)
    }
    migrator.registerMigration("2") { database in
      try database.execute(sql: additions)
      // When the sessions of an older file were last used isn't known: their time counts from now.
      try database.execute(sql: "UPDATE sessions SET used = ?", arguments: [Date().stored])
    }
    migrator.registerMigration("3") { database in
      try database.execute(sql: clock)
      try database.execute(sql: "ALTER TABLE sessions ADD COLUMN answers_challenges INTEGER NOT NULL DEFAULT 0")
    }
    migrator.registerMigration("4") { try $0.execute(sql: openTasks) }
    migrator.registerMigration("5") { try $0.execute(sql: beginnings) }
    migrator.registerMigration("6") { try $0.execute(sql: turns) }
  }

  /// Has the identifiers of transfers begin at a random number, in a file that replaces a damaged one.
  static func beginElsewhere(_ database: Database) throws {
    let start = Int64.random(in: 1_000_000..<(1 << 40))
    try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'transfers'")
    try database.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('transfers', ?)", arguments: [start])
  }

  /// Reads from each table when the file is opened, because a damaged file can still be moved aside then.
  static func probe(_ database: Database) throws {
    for sql in [
      "SELECT identifier FROM sessions", "SELECT max(identifier) FROM transfers", "SELECT max(transfer) FROM contents",
      "SELECT max(identifier) FROM log",
    ] {
      _ = try Int64.fetchAll(database, sql: sql)
    }
  }

  private static let sessions = """
    CREATE TABLE sessions (
      identifier INTEGER PRIMARY KEY AUTOINCREMENT,
      key BLOB NOT NULL UNIQUE,
      terms BLOB NOT NULL,
      is_readable INTEGER NOT NULL DEFAULT 1,
      is_invalidated INTEGER NOT NULL DEFAULT 0,
      next_task INTEGER NOT NULL DEFAULT 1,
      highest_removed_task INTEGER NOT NULL DEFAULT 0,
      resource_timeout REAL NOT NULL,
      launch_failures INTEGER NOT NULL DEFAULT 0,
      last_launch REAL,
      next_launch REAL
    )
    """

  private static let transfers = """
    CREATE TABLE transfers (
      identifier INTEGER PRIMARY KEY AUTOINCREMENT,
      session INTEGER NOT NULL,
      task INTEGER NOT NULL,
      state INTEGER NOT NULL,
      kind TEXT NOT NULL,
      url TEXT NOT NULL,
      priority REAL NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      next REAL,
      earliest REAL,
      ready REAL NOT NULL,
      resumed REAL,
      created REAL NOT NULL,
      deadline REAL NOT NULL,
      ended INTEGER,
      ended_at REAL,
      sent INTEGER NOT NULL DEFAULT 0,
      received INTEGER NOT NULL DEFAULT 0,
      expected_to_send INTEGER NOT NULL,
      expected_to_receive INTEGER NOT NULL,
      reason BLOB,
      notes BLOB,
      UNIQUE (session, task)
    );
    CREATE TABLE contents (
      transfer INTEGER PRIMARY KEY,
      content BLOB NOT NULL,
      resume_data BLOB,
      response BLOB,
      outcome BLOB
    )
    """

  private static let indexes = """
    CREATE INDEX transfers_waiting ON transfers (session, priority DESC, identifier, ready) WHERE state = 0;
    CREATE INDEX transfers_session ON transfers (session) WHERE state < 2;
    CREATE INDEX transfers_ready ON transfers (ready) WHERE state = 0;
    CREATE INDEX transfers_deadline ON transfers (deadline) WHERE state < 2;
    CREATE INDEX transfers_ended ON transfers (session, ended) WHERE state >= 2
    """

  /// Migration 2. `used`: when an app last had the session attached. `last_ended`: the highest `ended` of the session's transfers, taken ones
  /// included. `awaits_app`: whether the transfer waits for an answer of its app.
  private static let additions = """
    ALTER TABLE sessions ADD COLUMN used REAL NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN last_ended INTEGER NOT NULL DEFAULT 0;
    UPDATE sessions SET last_ended = (SELECT coalesce(max(ended), 0) FROM transfers WHERE session = sessions.identifier AND state >= 2);
    ALTER TABLE transfers ADD COLUMN awaits_app INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX transfers_awaiting ON transfers (session) WHERE awaits_app = 1
    """

  /// Migration 4: task identifiers below `sessions.highest_removed_task` that no transfer has had, so that they may still be used.
  private static let openTasks = """
    CREATE TABLE open_tasks (
      session INTEGER NOT NULL,
      task INTEGER NOT NULL,
      PRIMARY KEY (session, task)
    ) WITHOUT ROWID
    """

  /// Migration 5. `begun`: when the app first resumed the transfer, from which its deadline counts; NULL before. For transfers of an older file this
  /// isn't known: they count as begun when they were added, and keep their deadlines.
  private static let beginnings = """
    ALTER TABLE transfers ADD COLUMN begun REAL;
    UPDATE transfers SET begun = created
    """

  /// Migration 6: the index in the order of `TurnRules`, which has the failed attempts in it.
  private static let turns = """
    DROP INDEX transfers_waiting;
    CREATE INDEX transfers_waiting ON transfers (session, priority DESC, attempts, identifier, ready) WHERE state = 0
    """

  /// The latest `TimeCount`, in a single row; `wall` is a time of the wall clock.
  private static let clock = """
    CREATE TABLE clock (
      identifier INTEGER PRIMARY KEY,
      boot TEXT NOT NULL,
      since_boot REAL NOT NULL,
      wall REAL NOT NULL,
      count REAL NOT NULL
    )
    """

  private static let log = """
    CREATE TABLE log (
      identifier INTEGER PRIMARY KEY AUTOINCREMENT,
      time REAL NOT NULL,
      transfer INTEGER,
      text BLOB NOT NULL
    );
    CREATE INDEX log_transfer ON log (transfer)
    """
}
