import Foundation

/// The database file of a `TableStore`, opened at first use. Every function blocks; confined to the store's queue.
final class TableFile<Table: StoredTable>: @unchecked Sendable {
  // @unchecked: what changes is confined to the owner's serial queue; `url` is immutable.

  /// Time until a full disk is tried again: each attempt takes some milliseconds, and loads ask often.
  private static var pauseAfterRefusal: Duration { .seconds(10) }

  private let url: URL
  /// When the disk was last found full.
  private var refusedAt: ContinuousClock.Instant?
  private var opened: (database: StoreDatabase, counter: ChangeCounter)?
  /// Identity of the open file, or of the last one that could be used.
  private var identity: FileIdentity?
  /// Whether the file in use was found damaged and replaced, by this process or another, and the new one may still lack entries that memory has.
  private(set) var hasLost = false

  init(_ url: URL) { self.url = url }

  /// Reads the table. nil if it can't be read; otherwise also the change counter, and its value just before the read.
  func read() -> (table: Table, counter: ChangeCounter, count: UInt64)? {
    guard let (database, counter) = open() else { return nil }
    let count = counter.value
    do {
      return (try database.read(Table.read), counter, count)
    } catch let error as DatabaseError where error.isDamage {
      guard let (database, counter) = reopen(), let table = try? database.read(Table.read) else { return nil }
      return (table, counter, counter.value)
    } catch {
      return nil
    }
  }

  /// Commits `changes`, after deleting all rows if `clearing`.
  ///
  /// - Returns: The counter, and its value just before; nil if the disk has refused.
  func write(_ changes: [Table.Change], clearing: Bool) -> (counter: ChangeCounter, before: UInt64)? {
    write { database in
      if clearing { try Table.clear(database) }
      for change in changes { try Table.perform(change, database) }
    }
  }

  /// Commits the entries that memory has of a replaced file, except those of which the new file has newer versions.
  ///
  /// - Returns: Whether the new file has them now.
  func fill(_ memory: Table) -> Bool {
    hasLost = false
    guard !memory.isEmpty else { return true }
    // Read and written in one transaction, because another process may fill the file at the same time.
    let written = write { database in
      var table = try Table.read(database)
      for change in memory.news(for: table) {
        try Table.perform(change, database)
        for key in table.apply(change, now: .distantPast) { try Table.perform(.removal(of: key), database) }
      }
    }
    if written == nil { hasLost = true }
    return written != nil
  }

  private func write(_ body: (Database) throws -> Void) -> (counter: ChangeCounter, before: UInt64)? {
    guard let (database, counter) = open() else { return nil }
    do {
      try database.write(body)
      return (counter, counter.bump())
    } catch let error as DatabaseError where error.isDamage {
      guard let (database, counter) = reopen() else { return nil }
      do { try database.write(body) } catch { return nil }
      return (counter, counter.bump())
    } catch {
      return nil
    }
  }

  /// Opens the file again after damage was met in it: the check on opening moves it aside.
  private func reopen() -> (StoreDatabase, ChangeCounter)? {
    opened?.database.close()
    opened = nil
    return open(isSuspect: true)
  }

  private func open(isSuspect: Bool = false) -> (StoreDatabase, ChangeCounter)? {
    if let opened {
      // Another process may have found damage in the file, moved it aside and begun a new one.
      guard opened.database.isReplaced else { return opened }
      opened.database.close()
      self.opened = nil
    }
    if let refusedAt, refusedAt.duration(to: .now) < TableFile.pauseAfterRefusal { return nil }
    // The whole table is read on opening, so that damage shows here, and not at the first load.
    let database = try? StoreDatabase(url: url, migrations: Table.register, isSuspect: isSuspect) { _ = try Table.read($0) }
    // On a full disk the database would be in memory: it isn't used, and opening is tried again later.
    guard let database, database.failure?.cause != .fullDisk else {
      refusedAt = .now
      return nil
    }
    if let identity, database.lacks(identity) { hasLost = true }
    identity = database.identity ?? identity
    let counter = ChangeCounter(beside: url)
    // Other processes may have entries in memory that the new file lacks: the bump has them look.
    if database.movedAside != nil { counter.bump() }
    opened = (database, counter)
    return opened
  }
}
