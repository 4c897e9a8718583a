import Foundation
import ProtocolRules

extension HSTSHosts.Change: TableChange {
  var key: String { host }
  static func removal(of host: String) -> HSTSHosts.Change { .remove(host) }
}

// The table `host` on disk.

extension HSTSHosts: StoredTable {
  init() { self.init([:]) }

  static func register(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("v1") { database in
      try database.execute(
        sql: """
          CREATE TABLE host (
            host TEXT NOT NULL PRIMARY KEY, subdomains BOOLEAN NOT NULL, expires DOUBLE NOT NULL, noted DOUBLE NOT NULL
          ) WITHOUT ROWID
          """)
    }
  }

  static func read(_ database: Database) throws -> HSTSHosts {
    let rows = try Row.fetchAll(
      database, sql: "SELECT host, subdomains, expires, noted FROM host ORDER BY noted DESC LIMIT ?", arguments: [HSTSHosts.limit])
    var hosts: [String: HSTSHost] = [:]
    for row in rows {
      guard let host = row.value(0, String.self), let includesSubdomains = row.value(1, Bool.self),
        let expires = row.value(2, Double.self).flatMap(StoredMoment.date(since1970:)),
        let noted = row.value(3, Double.self).flatMap(StoredMoment.date(since1970:))
      else { continue }
      hosts[host] = HSTSHost(includesSubdomains: includesSubdomains, expires: expires, noted: noted)
    }
    return HSTSHosts(hosts)
  }

  func news(for other: HSTSHosts) -> [Change] {
    table.compactMap { host, entry in other.table[host].map { $0.noted >= entry.noted } ?? false ? nil : .set(host, entry) }
  }

  static func clear(_ database: Database) throws { try database.execute(sql: "DELETE FROM host") }

  static func perform(_ change: Change, _ database: Database) throws {
    switch change {
    case .remove(let host): try database.execute(sql: "DELETE FROM host WHERE host = ?", arguments: [host])
    case .set(let host, let entry):
      try database.execute(
        sql: "INSERT OR REPLACE INTO host (host, subdomains, expires, noted) VALUES (?, ?, ?, ?)",
        arguments: [host, entry.includesSubdomains, entry.expires.timeIntervalSince1970, entry.noted.timeIntervalSince1970])
    }
  }
}
