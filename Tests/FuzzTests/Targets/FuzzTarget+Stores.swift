import Foundation
@testable import LoadingModel

@testable import BackgroundTransfers
@testable import ProtocolRules
@testable import Stores

extension FuzzTarget {
  static let stores = [
    // A cached response's record: what can be read is written the same.
    FuzzTarget(
      "cache-records",
      binary: [
        Array(
          StoredResponse(
            url: "https://a.test/", head: ResponseHead(status: 200, reason: "OK", headers: HeaderFields([("ETag", "\"a\"")])),
            requestFields: HeaderFields([("Accept", "*/*")]), requestTime: Date(timeIntervalSinceReferenceDate: 1),
            responseTime: Date(timeIntervalSinceReferenceDate: 2), storagePolicy: 0
          ).record), [1] + Array(repeating: 0, count: 80),
      ]
    ) { bytes in
      let now = Date(timeIntervalSinceReferenceDate: 0)
      func read(_ data: Data) -> StoredResponse? {
        try? StoredResponse(id: 1, url: "https://a.test/", bodyLength: 1, lastUse: now, record: data)
      }
      guard let response = read(Data(bytes)) else { return }
      expect(read(response.record)?.record == response.record, "it isn't read as it was written")
      _ = (response.variant, response.headCost)
    },
    // A row of cookies as a damaged file may have it, of any values.
    FuzzTarget(
      "cookie-rows",
      binary: [
        Array("\u{3}.a.test\0\u{3}/\0\u{3}n\0\u{3}\0\u{3}v\0\u{2}4e9\0\u{2}1\0\u{2}2\0\u{1}9\0\u{1}3\0".utf8)
          + Array("\u{3}lax\0\u{3}80,x\0\0\0\u{1}1".utf8),
        Array("\u{4}a\0\u{4}/\0\u{3}\0\u{3}\0\u{3}v\0\u{2}inf\0\u{2}nan\0\u{2}-1e300\0\u{1}-1\0".utf8)
          + Array("\u{1}99999999999999999999\0\0\0\0\0\u{2}1".utf8),
      ]
    ) { bytes in
      let values = cells(bytes)
      try? cookieDatabase?.write { database in
        try database.execute(sql: "DELETE FROM cookie")
        try database.execute(
          sql: """
            INSERT INTO cookie (domain, path, name, partition, value, expires, created, stored, number, flags, sameSite, ports, comment,
              commentURL, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8], values[9], values[10],
            values[11], values[12], values[13], values[14],
          ])
        var jar = CookieJar()
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let cookies = try CookieTable.all(database, now: .distantPast)
        _ = jar.mirror(cookies, now: now)
        for stored in cookies {
          guard let url = URL(string: "https://\(stored.cookie.domain)/").flatMap(CookieURL.init) else { continue }
          _ = jar.field(for: url, partition: stored.cookie.partition, now: now)
          try CookieTable.apply([.put(stored)], database)
        }
      }
    },
    // Databases and files of each store, changed anywhere: they open, and give what they give.
    FuzzTarget(
      "store-files", binary: [[0], [1, 0, 24, 0xFF, 0], [2, 0, 0, 100, 1], [3, 0, 0, 20, 1], [0, 0, 0, 0, 1, 16, 9, 1]], isSlow: true
    ) { bytes in
      DamagedStores.shared?.open(bytes)
    },
  ]

  private static let cookieDatabase: DatabaseConnections? = {
    // Looks SQLite up.
    guard SQLiteLibrary.failure(of: URL(filePath: "/")) == nil, let connections = try? DatabaseConnections(path: nil) else { return nil }
    var migrator = DatabaseMigrator()
    CookieTable.register(&migrator)
    return (try? migrator.migrate(connections)).map { connections }
  }()

  /// Fifteen values, whose kinds their first bytes say.
  private static func cells(_ bytes: ArraySlice<UInt8>) -> [Cell] {
    let parts = bytes.split(separator: 0, maxSplits: 14, omittingEmptySubsequences: false)
    return (0..<15).map { index in
      guard index < parts.count, let kind = parts[index].first else { return Cell(databaseValue: .null) }
      let rest = parts[index].dropFirst()
      let text = String(decoding: rest, as: UTF8.self)
      switch kind {
      case 1: return Cell(databaseValue: .integer(Int64(text) ?? .max))
      case 2: return Cell(databaseValue: .real(Double(text) ?? .greatestFiniteMagnitude))
      case 3: return Cell(databaseValue: .text(text))
      case 4: return Cell(databaseValue: .blob(Data(rest)))
      default: return Cell(databaseValue: .null)
      }
    }
  }

  /// A value of any kind.
  private struct Cell: DatabaseValueConvertible {
    let databaseValue: DatabaseValue
    static func fromDatabaseValue(_ value: DatabaseValue) -> Cell? { Cell(databaseValue: value) }
  }
}
