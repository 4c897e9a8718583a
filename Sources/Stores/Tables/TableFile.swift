import Foundation

/// The disk behind a `TableStore`; opened at first use. Every function blocks; confined to the store's queue.
final class TableFile<Table: StoredTable>: @unchecked Sendable {
  // @unchecked: what changes is confined to the owner's serial queue; `url` is immutable.

  /// Loads ask again and again, and each look at a full disk costs some milliseconds.
  private static var pauseAfterRefusal: Duration { .seconds(10) }

  private let url: URL
  /// When the disk was last found full.
  private var refusedAt: ContinuousClock.Instant?
  private var opened: (database: StoreDatabase, counter: ChangeCounter)?
  /// Which file that is, or was the last that could be used.
  private var identity: FileIdentity?
  /// Whether the file that was in use has been found damaged and another has taken its place, which may lack what memory has: until it
  /// has been filled.
  private(set) var hasLost = false

  init(_ url: URL) { self.url = url }

  /// The table, and the count at which it was read; nil if nothing can be read.
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

  /// Commits `changes`.
  ///
  /// - Returns: The counter, and the count before; nil if they couldn't be committed.
  func write(_ changes: [Table.Change], clearing: Bool) -> (counter: ChangeCounter, before: UInt64)? {
    write { database in
      if clearing { try Table.clear(database) }
      for change in changes { try Table.perform(change, database) }
    }
  }

  /// Commits what memory has of a file that has been lost, but for what its successor has newer.
  ///
  /// - Returns: Whether the successor has it now.
  func fill(_ memory: Table) -> Bool {
    hasLost = false
    guard !memory.isEmpty else { return true }
    // In one transaction: another process may be filling the file as well.
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

  /// Opens the file again after damage was met in it, which moves it aside.
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
    // The table is read whole anyway: damage shows here and not at the first load.
    let database = try? StoreDatabase(url: url, migrations: Table.register, isSuspect: isSuspect) { _ = try Table.read($0) }
    // A database in memory because the disk is full is none: there may be room at the next attempt.
    guard let database, database.failure?.cause != .fullDisk else {
      refusedAt = .now
      return nil
    }
    if let identity, database.lacks(identity) { hasLost = true }
    identity = database.identity ?? identity
    let counter = ChangeCounter(beside: url)
    // The others may have in memory what this file lacks.
    if database.movedAside != nil { counter.bump() }
    opened = (database, counter)
    return opened
  }
}
