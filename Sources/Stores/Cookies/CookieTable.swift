import Foundation
import ProtocolRules

/// The table of cookies in the database. Times are seconds since 1970.
enum CookieTable {
  static func register(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("cookies 1") { database in
      try database.execute(
        sql: """
          CREATE TABLE cookie (
            domain TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, partition TEXT NOT NULL,
            value TEXT NOT NULL, expires REAL NOT NULL, created REAL NOT NULL, stored REAL NOT NULL, number INTEGER NOT NULL,
            flags INTEGER NOT NULL, sameSite TEXT, ports TEXT, comment TEXT, commentURL TEXT, version INTEGER NOT NULL,
            PRIMARY KEY (domain, path, name, partition)
          ) WITHOUT ROWID
          """)
    }
  }

  private enum Flag {
    static let secure = 1
    static let httpOnly = 2
    static let setByJavaScript = 4
  }

  /// All cookies that haven't expired.
  static func all(_ database: Database, now: Date) throws -> [StoredCookie] {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT * FROM cookie WHERE expires > ?", arguments: [now.timeIntervalSince1970])
    var cookies: [StoredCookie] = []
    while let row = try rows.next() { cookies.append(stored(row)) }
    return cookies
  }

  private static func stored(_ row: Row) -> StoredCookie {
    func text(_ column: String) -> String { String.fromDatabaseValue(row[column]) ?? "" }
    func optional(_ column: String) -> String? { String.fromDatabaseValue(row[column]) }
    func date(_ column: String) -> Date {
      Double.fromDatabaseValue(row[column]).flatMap(StoredMoment.date(since1970:)) ?? Date(timeIntervalSince1970: 0)
    }
    func integer(_ column: String) -> Int64 { Int64.fromDatabaseValue(row[column]) ?? 0 }
    var cookie = Cookie(name: text("name"), value: text("value"), domain: text("domain"), path: text("path"), expires: date("expires"))
    let flags = Int(truncatingIfNeeded: integer("flags"))
    cookie.isSecure = flags & Flag.secure != 0
    cookie.isHTTPOnly = flags & Flag.httpOnly != 0
    cookie.isSetByJavaScript = flags & Flag.setByJavaScript != 0
    cookie.partition = optional("partition").flatMap { $0.isEmpty ? nil : $0 }
    cookie.sameSite = optional("sameSite")
    cookie.ports = optional("ports")?.split(separator: ",").compactMap { Int($0) }
    cookie.comment = optional("comment")
    cookie.commentURL = optional("commentURL").flatMap { URL(string: $0) }
    cookie.version = integer("version") == 1 ? 1 : 0
    return StoredCookie(cookie, created: date("created"), stored: date("stored"), number: integer("number"))
  }

  static func apply(_ changes: [CookieChange], _ database: Database) throws {
    for change in changes {
      switch change {
      case .put(let stored): try put(stored, database)
      case .remove(let key, let upTo):
        try database.cachedStatement(
          sql: "DELETE FROM cookie WHERE domain = ? AND path = ? AND name = ? AND partition = ? AND stored <= ?"
        ).execute(arguments: [key.domain, key.path, key.name, key.partition ?? "", upTo.timeIntervalSince1970])
      case .removeAll(let date):
        try database.execute(sql: "DELETE FROM cookie WHERE stored > ?", arguments: [date.timeIntervalSince1970])
      }
    }
  }

  /// Adds one process's cookies to a file that other processes fill as well: of each cookie the value that was stored last remains.
  static func fill(_ cookies: [StoredCookie], _ database: Database) throws {
    for stored in cookies { try put(stored, database, where: " WHERE excluded.stored > cookie.stored") }
  }

  /// Adds or replaces a cookie. A row that is there keeps its `created` and `number`, because another process may have stored the cookie before.
  ///
  /// - Parameter condition: SQL that says when an existing row is replaced; empty for always.
  private static func put(_ stored: StoredCookie, _ database: Database, where condition: String = "") throws {
    let cookie = stored.cookie
    guard let expires = cookie.expires else { return }
    let flags =
      (cookie.isSecure ? Flag.secure : 0) | (cookie.isHTTPOnly ? Flag.httpOnly : 0) | (cookie.isSetByJavaScript ? Flag.setByJavaScript : 0)
    try database.cachedStatement(
      sql: """
        INSERT INTO cookie (domain, path, name, partition, value, expires, created, stored, number, flags, sameSite, ports, comment,
          commentURL, version)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET value = excluded.value, expires = excluded.expires, stored = excluded.stored, flags = excluded.flags,
          sameSite = excluded.sameSite, ports = excluded.ports, comment = excluded.comment, commentURL = excluded.commentURL,
          version = excluded.version\(condition)
        """
    ).execute(arguments: [
      cookie.domain, cookie.path, cookie.name, cookie.partition ?? "", cookie.value, expires.timeIntervalSince1970,
      stored.created.timeIntervalSince1970, stored.stored.timeIntervalSince1970, stored.number, flags, cookie.sameSite,
      cookie.ports.map { $0.map { String($0) }.joined(separator: ",") }, cookie.comment, cookie.commentURL?.absoluteString, cookie.version,
    ])
  }

  static func removeEnded(_ database: Database, now: Date) throws {
    try database.execute(sql: "DELETE FROM cookie WHERE expires <= ?", arguments: [now.timeIntervalSince1970])
  }
}
