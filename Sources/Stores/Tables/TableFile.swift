import Foundation

/// The disk behind a `TableStore`; opened at first use. Every function blocks; confined to the store's queue.
final class TableFile<Table: StoredTable>: @unchecked Sendable {
  // @unchecked: `opened` and `refusedAt` are confined to the owner's serial queue; `url` is immutable.

  /// Loads ask again and again, and each look at a full disk costs some milliseconds.
  private static var pauseAfterRefusal: Duration { .seconds(10) }

  private let url: URL
  /// When the disk was last found full.
  private var refusedAt: ContinuousClock.Instant?
  private var opened: (database: StoreDatabase, counter: ChangeCounter)?

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
  /// - Returns: The change count before; nil if they couldn't be committed.
  func write(_ changes: [Table.Change], clearing: Bool) -> UInt64? {
    guard let (database, counter) = open() else { return nil }
    do {
      try TableFile.commit(changes, clearing, database)
      return counter.bump()
    } catch let error as DatabaseError where error.isDamage {
      guard let (database, counter) = reopen() else { return nil }
      do { try TableFile.commit(changes, clearing, database) } catch { return nil }
      return counter.bump()
    } catch {
      return nil
    }
  }

  private static func commit(_ changes: [Table.Change], _ clearing: Bool, _ database: StoreDatabase) throws {
    try database.write { database in
      if clearing { try Table.clear(database) }
      for change in changes { try Table.perform(change, database) }
    }
  }

  /// Opens the file again after damage was met in it, which moves it aside.
  private func reopen() -> (StoreDatabase, ChangeCounter)? {
    opened?.database.close()
    opened = nil
    return open(isSuspect: true)
  }

  private func open(isSuspect: Bool = false) -> (StoreDatabase, ChangeCounter)? {
    if let opened { return opened }
    if let refusedAt, refusedAt.duration(to: .now) < TableFile.pauseAfterRefusal { return nil }
    // The table is read whole anyway: damage shows here and not at the first load.
    let database = try? StoreDatabase(url: url, migrations: Table.register, isSuspect: isSuspect) { _ = try Table.read($0) }
    // A database in memory because the disk is full is none: there may be room at the next attempt.
    guard let database, database.failure?.cause != .fullDisk else {
      refusedAt = .now
      return nil
    }
    opened = (database, ChangeCounter(beside: url))
    return opened
  }
}
