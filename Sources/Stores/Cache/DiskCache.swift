import Foundation
import LoadingModel

/// The cache on disk: a SQLite index and small bodies in `Cache.db`, large bodies in files beside it. Shared by any number of processes.
///
/// Every function blocks; changes are made by one thread at a time (`CacheDisk`).
final class DiskCache: Sendable {
  static let fileName = "Cache.db"

  let folder: BodyFolder
  let counter: ChangeCounter
  /// Identifies this object in the table `changes`, so that it ignores its own changes there.
  let writer = Int64.random(in: 1...Int64.max)
  private let url: URL
  private let threads: CacheThreads
  private let database: Mutex<Current>

  private struct Current {
    var database: StoreDatabase
    /// Whether this file has replaced the one from which the index was read, so that the numbers in `changes` have begun anew.
    var isNew = false
  }

  init(directory: URL, threads: CacheThreads = CacheThreads()) throws {
    self.threads = threads
    url = directory.appending(path: DiskCache.fileName, directoryHint: .notDirectory)
    let database = try DiskCache.open(url)
    self.database = Mutex(Current(database: database))
    folder = try BodyFolder(directory.appending(path: "bodies", directoryHint: .isDirectory), threads: threads)
    counter = ChangeCounter(beside: url)
    if let failure = counter.failure { throw failure }
    if database.movedAside != nil { sweepAllLater() }
  }

  /// Has the files removed, later, whose rows were in a database that was moved aside.
  private func sweepAllLater() {
    threads.later { [self] in
      folder.sweepAll(now: Date()) { ids in (try? current.read { try DiskCache.named(ids, $0) }) ?? Set(ids) }
    }
  }

  /// - Throws: If the file can't be opened. `StoreDatabase` would go on in memory, which makes no sense for a disk cache.
  private static func open(_ url: URL) throws -> StoreDatabase {
    let database = try StoreDatabase(url: url, migrations: CacheTables.register, probe: probe)
    guard let failure = database.failure else { return database }
    database.close()
    throw failure
  }

  private static func probe(_ database: Database) throws {
    _ = try Int64.fetchOne(database, sql: "SELECT bytes FROM usage")
    _ = try Int64.fetchOne(database, sql: "SELECT id FROM responses ORDER BY used LIMIT 1")
  }

  private var current: StoreDatabase { database.withLock(\.database) }

  // MARK: reading

  /// A stored response, with its body if the database has that.
  struct Found: Sendable {
    var response: StoredResponse
    var body: Data?
  }

  /// The responses whose URLs have this hash, newest first. Damaged rows are left out.
  func responses(hash: Int64) throws -> [Found] {
    try guarded { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT r.id, r.length, r.place, r.used, r.record, r.url, b.bytes FROM responses r LEFT JOIN bodies b ON b.id = r.id
          WHERE r.hash = ? ORDER BY r.stored DESC
          """)
      return try Row.fetchAll(statement, arguments: [hash]).compactMap { row in
        guard let response = DiskCache.response(row), let place = row.value(2).flatMap(BodyPlace.init) else { return nil }
        guard place == .row else { return Found(response: response, body: nil) }
        let body = BodyChecksums.opened(row.value(6) ?? Data(), id: response.id, length: response.bodyLength)
        return body.map { Found(response: response, body: $0) }
      }
    }
  }

  private static func response(_ row: Row) -> StoredResponse? {
    guard let id = row.value(0, Int64.self), let url = row.value(5, String.self), let record = row.value(4, Data.self),
      let length = row.value(1, Int64.self), length >= 0,
      let lastUse = row.value(3, Double.self).flatMap(StoredMoment.date(sinceReferenceDate:))
    else { return nil }
    return try? StoredResponse(id: id, url: url, bodyLength: length, lastUse: lastUse, record: record)
  }

  /// All stored responses, the most recently used first, `limit` at most.
  func list(limit: Int) throws -> [StoredResponse] {
    try guarded { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT id, length, place, used, record, url FROM responses ORDER BY used DESC LIMIT ?", arguments: [limit])
      var responses: [StoredResponse] = []
      while let row = try rows.next() {
        if let response = DiskCache.response(row) { responses.append(response) }
      }
      return responses
    }
  }

  func body(_ response: StoredResponse) throws -> (any StoredBody)? {
    let row = try guarded { database in
      try Row.fetchOne(
        database, sql: "SELECT r.place, b.bytes FROM responses r LEFT JOIN bodies b ON b.id = r.id WHERE r.id = ?",
        arguments: [response.id])
    }
    guard let row, let place = row.value(0).flatMap(BodyPlace.init) else { return nil }
    if place == .file { return folder.open(response.id, length: response.bodyLength) }
    return BodyChecksums.opened(row.value(1) ?? Data(), id: response.id, length: response.bodyLength).map { MemoryBody($0) }
  }

  var bytesUsed: Int64 { (try? guarded { try Int64.fetchOne($0, sql: "SELECT bytes FROM usage") }) ?? 0 }

  /// The hashes of all URLs, and the number of the last change they include.
  func index() throws -> (hashes: Set<Int64>, sequence: Int64) {
    let read = current
    let index = try guarded(read) { database in
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM responses") ?? 0
      var hashes = Set<Int64>(minimumCapacity: count)
      let cursor = try Int64.fetchCursor(database, sql: "SELECT hash FROM responses INDEXED BY responses_hash")
      while let hash = try cursor.next() { hashes.insert(hash) }
      return (hashes, try IndexTransaction.lastSequence(database))
    }
    database.withLock { if $0.database === read { $0.isNew = false } }
    return index
  }

  /// What other processes have changed after the change with the number `sequence`.
  func changes(after sequence: Int64) throws -> CacheNews {
    try follow()
    let (read, isNew) = database.withLock { ($0.database, $0.isNew) }
    return try guarded(read) { database in
      let last = try IndexTransaction.lastSequence(database)
      let first = try Int64.fetchOne(database, sql: "SELECT min(sequence) FROM changes") ?? 0
      // Some of the changes were deleted from the table, or the numbers have begun anew with a new database: all must be read again.
      if isNew || first > sequence &+ 1 || last < sequence { return CacheNews(sequence: last, hashes: nil) }
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT c.hash, EXISTS (SELECT 1 FROM responses r WHERE r.hash = c.hash) FROM changes c WHERE c.sequence > ? AND c.writer <> ?
          """, arguments: [sequence, writer])
      var hashes: [Int64: Bool] = [:]
      for row in rows {
        guard let hash = row.value(0, Int64.self) else { return CacheNews(sequence: last, hashes: nil) }
        hashes[hash] = row.value(1) ?? true
      }
      return CacheNews(sequence: last, hashes: hashes)
    }
  }

  // MARK: changing

  /// Makes the changes in one transaction, then deletes body files that aren't needed any more.
  ///
  /// - Parameters:
  ///   - uses: When responses were used, by id.
  ///   - capacity: Bytes that all stored responses may take.
  /// - Throws: If nothing was changed; the files of bodies that were to be stored are deleted then.
  func perform(_ changes: [CacheChange], uses: [Int64: Date], capacity: Int64) throws -> CacheOutcome {
    do { try follow() } catch {
      CacheDisk.discardBodies(changes)
      throw error
    }
    var placed: [Int64] = []
    var refusal: StoreFailure?
    let ready = changes.map { change -> CacheChange in
      guard case .store(let response, let body) = change else { return change }
      switch body {
      case .bytes(let data) where data.count <= BodyDraft.rowBodyLimit: return change
      case .bytes, .file, .placed:
        do throws(StoreFailure) { try place(body, as: response.id) } catch {
          refusal = error
          return .removeVariant(url: response.url, response.variant)
        }
        placed.append(response.id)
        return .store(response, .placed(length: body.length))
      }
    }
    do {
      var outcome = try current.write { database in
        var transaction = try IndexTransaction(database, capacity: capacity, writer: writer)
        try transaction.note(uses: uses)
        for change in ready { try transaction.perform(change) }
        return (try transaction.finish(), try DiskCache.named(placed, database))
      }
      for id in outcome.0.orphans { folder.remove(id) }
      for id in placed where !outcome.1.contains(id) { folder.remove(id) }
      // Compacting copies the file's remaining content, which is next to nothing now. If it fails, the freed pages stay in the file.
      if outcome.0.removedAll { try? current.compact() }
      outcome.0.refusal = refusal
      return outcome.0
    } catch {
      for id in placed { folder.remove(id) }
      if let error = error as? DatabaseError, error.isDamage { begin() }
      throw error
    }
  }

  private func place(_ body: CacheChange.Body, as id: Int64) throws(StoreFailure) {
    switch body {
    case .placed: break
    case .file(let file, _): try folder.place(file, as: id)
    case .bytes(let data):
      var file = try folder.begin(id)
      do { try file.append(data) } catch {
        file.discard()
        throw error
      }
      try folder.place(file, as: id)
    }
  }

  private static func named(_ ids: [Int64], _ database: Database) throws -> Set<Int64> {
    guard !ids.isEmpty else { return [] }
    let list = ids.map(String.init).joined(separator: ",")
    return Set(try Int64.fetchAll(database, sql: "SELECT id FROM responses WHERE id IN (\(list))"))
  }

  /// Deletes files that killed processes have left; each call looks into a part of the folders.
  func sweep(turn: Int, now: Date) {
    folder.sweep(turn: turn, now: now) { ids in
      (try? guarded { try DiskCache.named(ids, $0) }) ?? Set(ids)
    }
  }

  func close() { current.close() }

  private func guarded<Value>(_ body: (Database) throws -> Value) throws -> Value { try guarded(current, body) }

  private func guarded<Value>(_ database: StoreDatabase, _ body: (Database) throws -> Value) throws -> Value {
    do { return try database.read(body) } catch let error as DatabaseError where error.isDamage {
      begin()
      throw error
    }
  }

  /// Replaces the open database, which has turned out to be damaged, by a new one.
  private func begin() {
    let old = current
    let fresh = try? StoreDatabase(url: url, migrations: CacheTables.register, isSuspect: true)
    if replace(old, with: fresh) { sweepAllLater() }
  }

  /// If another process has replaced the database's file, opens the new one: changes in the old one wouldn't be seen by any process. The other
  /// process sweeps the body files.
  ///
  /// - Throws: If the new file can't be opened.
  private func follow() throws {
    let old = current
    guard old.isReplaced else { return }
    let fresh = try DiskCache.open(url)
    counter.follow()
    replace(old, with: fresh)
  }

  /// Takes `fresh` into use, unless another thread has replaced `old` meanwhile; closes the other one. The index counts as outdated until it is read
  /// again.
  @discardableResult
  private func replace(_ old: StoreDatabase, with fresh: StoreDatabase?) -> Bool {
    guard let fresh, fresh.failure == nil else { return false }
    let isTaken = database.withLock { current in
      guard current.database === old else { return false }
      current = Current(database: fresh, isNew: true)
      return true
    }
    (isTaken ? old : fresh).close()
    if isTaken { counter.bump() }
    return isTaken
  }
}

/// Changes that other processes have made on disk.
struct CacheNews: Sendable {
  var sequence: Int64
  /// For each changed hash, whether the disk has responses for it now; nil if anything may have changed.
  var hashes: [Int64: Bool]?
}
