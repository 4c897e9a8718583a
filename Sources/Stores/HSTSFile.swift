import Foundation
import GRDB
import HTTPPolicy
import LoadingModel

/// The disk behind an `HSTSStore`; opened at first use. Every function blocks; confined to the store's queue.
final class HSTSFile: @unchecked Sendable {
  // @unchecked: `opened` is confined to the owner's serial queue.
  private let url: URL
  private var opened: (database: StoreDatabase, counter: ChangeCounter)?

  init(_ url: URL) { self.url = url }

  /// All hosts, newest first as far as the table goes, and the count at which they were read; nil if nothing can be read.
  func read() -> (hosts: [String: HSTSHost], counter: ChangeCounter, count: UInt64)? {
    guard let (database, counter) = open() else { return nil }
    let count = counter.value
    let rows = try? database.read { database in
      try Row.fetchAll(
        database, sql: "SELECT host, subdomains, expires, noted FROM host ORDER BY noted DESC LIMIT ?", arguments: [HSTSHosts.limit])
    }
    guard let rows else { return nil }
    var hosts: [String: HSTSHost] = [:]
    for row in rows {
      hosts[row["host"]] = HSTSHost(
        includesSubdomains: row["subdomains"], expires: Date(timeIntervalSince1970: row["expires"]),
        noted: Date(timeIntervalSince1970: row["noted"]))
    }
    return (hosts, counter, count)
  }

  /// Commits `changes`.
  ///
  /// - Returns: The change count before; nil if they couldn't be committed.
  func write(_ changes: [HSTSHosts.Change], clearing: Bool) -> UInt64? {
    guard let (database, counter) = open() else { return nil }
    do {
      try database.write { database in
        if clearing { try database.execute(sql: "DELETE FROM host") }
        for change in changes { try HSTSFile.perform(change, database) }
      }
      return counter.bump()
    } catch {
      return nil
    }
  }

  private static func perform(_ change: HSTSHosts.Change, _ database: Database) throws {
    switch change {
    case .remove(let host): try database.execute(sql: "DELETE FROM host WHERE host = ?", arguments: [host])
    case .set(let host, let entry):
      try database.execute(
        sql: "INSERT OR REPLACE INTO host (host, subdomains, expires, noted) VALUES (?, ?, ?, ?)",
        arguments: [host, entry.includesSubdomains, entry.expires.timeIntervalSince1970, entry.noted.timeIntervalSince1970])
    }
  }

  private func open() -> (StoreDatabase, ChangeCounter)? {
    if let opened { return opened }
    let database = try? StoreDatabase(url: url) { migrator in
      migrator.registerMigration("v1") { database in
        try database.execute(
          sql: """
            CREATE TABLE host (
              host TEXT NOT NULL PRIMARY KEY, subdomains BOOLEAN NOT NULL, expires DOUBLE NOT NULL, noted DOUBLE NOT NULL
            ) WITHOUT ROWID
            """)
      }
    }
    guard let database else { return nil }
    opened = (database, ChangeCounter(beside: url))
    return opened
  }
}
