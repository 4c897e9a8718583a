import Foundation
import LoadingModel
import ProtocolRules

/// The disk behind an `HSTSStore`; opened at first use. Every function blocks; confined to the store's queue.
final class HSTSFile: @unchecked Sendable {
  // @unchecked: `opened` and `refusedAt` are confined to the owner's serial queue; `url` is immutable.
  /// Loads ask again and again, and each look at a full disk costs some milliseconds.
  private static let pauseAfterRefusal = Duration.seconds(10)

  private let url: URL
  /// When the disk was last found full.
  private var refusedAt: ContinuousClock.Instant?
  private var opened: (database: StoreDatabase, counter: ChangeCounter)?

  init(_ url: URL) { self.url = url }

  /// All hosts, newest first, as many as the table holds, and the count at which they were read; nil if nothing can be read.
  func read() -> (hosts: [String: HSTSHost], counter: ChangeCounter, count: UInt64)? {
    guard let (database, counter) = open() else { return nil }
    let count = counter.value
    do {
      return (try database.read(HSTSFile.hosts), counter, count)
    } catch let error as DatabaseError where error.isDamage {
      guard let (database, counter) = reopen(), let hosts = try? database.read(HSTSFile.hosts) else { return nil }
      return (hosts, counter, counter.value)
    } catch {
      return nil
    }
  }

  /// Rows that can't be understood are left out.
  private static func hosts(_ database: Database) throws -> [String: HSTSHost] {
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
    return hosts
  }

  /// Commits `changes`.
  ///
  /// - Returns: The change count before; nil if they couldn't be committed.
  func write(_ changes: [HSTSHosts.Change], clearing: Bool) -> UInt64? {
    guard let (database, counter) = open() else { return nil }
    do {
      try HSTSFile.commit(changes, clearing, database)
      return counter.bump()
    } catch let error as DatabaseError where error.isDamage {
      guard let (database, counter) = reopen() else { return nil }
      do { try HSTSFile.commit(changes, clearing, database) } catch { return nil }
      return counter.bump()
    } catch {
      return nil
    }
  }

  private static func commit(_ changes: [HSTSHosts.Change], _ clearing: Bool, _ database: StoreDatabase) throws {
    try database.write { database in
      if clearing { try database.execute(sql: "DELETE FROM host") }
      for change in changes { try perform(change, database) }
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

  private static func register(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("v1") { database in
      try database.execute(
        sql: """
          CREATE TABLE host (
            host TEXT NOT NULL PRIMARY KEY, subdomains BOOLEAN NOT NULL, expires DOUBLE NOT NULL, noted DOUBLE NOT NULL
          ) WITHOUT ROWID
          """)
    }
  }

  /// Opens the file again after damage was found in it, which moves it aside.
  private func reopen() -> (StoreDatabase, ChangeCounter)? {
    opened?.database.close()
    opened = nil
    return open()
  }

  private func open() -> (StoreDatabase, ChangeCounter)? {
    if let opened { return opened }
    if let refusedAt, refusedAt.duration(to: .now) < HSTSFile.pauseAfterRefusal { return nil }
    // The table is read whole anyway: damage shows here and not at the first load.
    let database = try? StoreDatabase(url: url, migrations: HSTSFile.register) { _ = try HSTSFile.hosts($0) }
    // A database in memory because the disk is full is none: there may be room at the next attempt.
    guard let database, database.failure?.cause != .fullDisk else {
      refusedAt = .now
      return nil
    }
    opened = (database, ChangeCounter(beside: url))
    return opened
  }
}
