import Foundation
import LoadingModel
import ProtocolRules

extension AlternativeServiceMemory.Change: TableChange {
  var key: Origin { origin }
  static func removal(of origin: Origin) -> AlternativeServiceMemory.Change { .remove(origin) }
}

// The table `alternative` on disk: one row for each alternative; `place` is its position in the origin's order of preference.

extension AlternativeServiceMemory: StoredTable {
  init() { self.init([:]) }

  static func register(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("v1") { database in
      try database.execute(
        sql: """
          CREATE TABLE alternative (
            host TEXT NOT NULL, port INTEGER NOT NULL, place INTEGER NOT NULL, protocol TEXT NOT NULL, other_host TEXT,
            other_port INTEGER NOT NULL, expires DOUBLE NOT NULL, persists BOOLEAN NOT NULL, noted DOUBLE NOT NULL,
            PRIMARY KEY (host, port, place)
          ) WITHOUT ROWID
          """)
    }
  }

  static func read(_ database: Database) throws -> AlternativeServiceMemory {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT host, port, protocol, other_host, other_port, expires, persists, noted FROM alternative
        ORDER BY noted DESC, host, port, place LIMIT ?
        """, arguments: [AlternativeServiceMemory.limit * AlternativeServiceField.limit])
    var origins: [Origin: KnownAlternatives] = [:]
    for row in rows {
      guard let (origin, entry, noted) = alternative(row) else { continue }
      if origins[origin] == nil, origins.count == AlternativeServiceMemory.limit { break }
      origins[origin, default: KnownAlternatives([], noted: noted)].entries.append(entry)
    }
    return AlternativeServiceMemory(origins)
  }

  private static func alternative(_ row: Row) -> (Origin, KnownAlternatives.Entry, noted: Date)? {
    guard let host = row.value(0, String.self), let port = row.value(1, Int.self), let name = row.value(2, String.self),
      let otherPort = row.value(4, Int.self), 1...65535 ~= port, 1...65535 ~= otherPort,
      let expires = row.value(5, Double.self).flatMap(StoredMoment.date(since1970:)), let persists = row.value(6, Bool.self),
      let noted = row.value(7, Double.self).flatMap(StoredMoment.date(since1970:))
    else { return nil }
    let service = AlternativeService(name, host: row.value(3, String.self), port: otherPort)
    let entry = KnownAlternatives.Entry(service, expires: expires, outlastsNetwork: persists)
    return (Origin(scheme: "https", host: host, port: port), entry, noted)
  }

  func news(for other: AlternativeServiceMemory) -> [Change] { changes(missingIn: other) }

  static func clear(_ database: Database) throws { try database.execute(sql: "DELETE FROM alternative") }

  static func perform(_ change: Change, _ database: Database) throws {
    let origin = change.origin
    try database.execute(sql: "DELETE FROM alternative WHERE host = ? AND port = ?", arguments: [origin.host, origin.port])
    guard case .set(_, let known) = change else { return }
    for (place, entry) in known.entries.enumerated() {
      try database.execute(
        sql: """
          INSERT INTO alternative (host, port, place, protocol, other_host, other_port, expires, persists, noted)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          origin.host, origin.port, place, entry.service.protocolName, entry.service.host, entry.service.port,
          entry.expires.timeIntervalSince1970, entry.outlastsNetwork, known.noted.timeIntervalSince1970,
        ])
    }
  }
}
