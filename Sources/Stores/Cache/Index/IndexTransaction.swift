import Foundation

/// Makes the changes of one transaction, in order, and notes their outcome. Lives as long as the transaction.
struct IndexTransaction {
  /// Bytes charged for a row besides its texts: for columns and indices.
  private static let rowCost: Int64 = 128
  /// Body files are charged in whole blocks of this many bytes, as file systems store them.
  private static let blockSize: Int64 = 4096
  /// Maximum number of rows in `changes`; a process that has missed more of them reads the whole index again.
  private static let changesKept: Int64 = 4096

  let database: Database
  let capacity: Int64
  let writer: Int64
  private(set) var outcome = CacheOutcome()
  private var changed: Set<Int64> = []

  init(_ database: Database, capacity: Int64, writer: Int64) throws {
    self.database = database
    self.capacity = capacity
    self.writer = writer
    outcome.sequenceBefore = try IndexTransaction.lastSequence(database)
  }

  static func lastSequence(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM changes") ?? 0
  }

  /// Writes down when responses were used, unless another process has noted a later use.
  mutating func note(uses: [Int64: Date]) throws {
    guard !uses.isEmpty else { return }
    let statement = try database.cachedStatement(sql: "UPDATE responses SET used = ? WHERE id = ? AND used < ?")
    for (id, date) in uses {
      let seconds = date.timeIntervalSinceReferenceDate
      try statement.execute(arguments: [seconds, id, seconds])
    }
  }

  mutating func perform(_ change: CacheChange) throws {
    switch change {
    case .store(let response, let body): try store(response, body)
    case .update(let response): try update(response)
    case .removeVariant(let url, let variant):
      try remove("hash = ? AND variant = ? AND url = ?", [CacheKey.hash(url), variant, url])
    case .remove(let id, let url): try remove("id = ? AND url = ?", [id, url])
    case .removeURL(let url): try remove("hash = ? AND url = ?", [CacheKey.hash(url), url])
    case .removeStored(let date): try remove("stored > ?", [date.timeIntervalSinceReferenceDate])
    case .removeAll: try removeAll()
    case .shrink: try makeRoom(for: 0)
    }
  }

  /// Adds the changed hashes to the table `changes`, for other processes. The last step of the transaction.
  mutating func finish() throws -> CacheOutcome {
    outcome.gone = try changed.filter { hash in
      try Int.fetchOne(database, sql: "SELECT 1 FROM responses WHERE hash = ? LIMIT 1", arguments: [hash]) == nil
    }
    let statement = try database.cachedStatement(sql: "INSERT INTO changes (hash, writer) VALUES (?, ?)")
    if outcome.removedAll { try statement.execute(arguments: [nil, writer]) }
    for hash in changed { try statement.execute(arguments: [hash, writer]) }
    outcome.sequence = outcome.removedAll || !changed.isEmpty ? database.lastInsertedRowID : outcome.sequenceBefore
    try database.execute(
      sql: "DELETE FROM changes WHERE sequence <= ?", arguments: [max(0, outcome.sequence) - IndexTransaction.changesKept])
    return outcome
  }

  private mutating func store(_ response: StoredResponse, _ body: CacheChange.Body) throws {
    let (hash, variant, record) = (CacheKey.hash(response.url), response.variant, response.record)
    try remove("hash = ? AND variant = ? AND url = ?", [hash, variant, response.url])
    let size = charge(response, record, body)
    guard size <= capacity else { return }
    try makeRoom(for: size)
    let place: BodyPlace =
      switch body {
      case .bytes: .row
      case .file, .placed: .file
      }
    try database.cachedStatement(
      sql: "INSERT INTO responses (id, hash, variant, size, length, place, used, stored, url, record) VALUES (?,?,?,?,?,?,?,?,?,?)"
    ).execute(
      arguments: [
        response.id, hash, variant, size, body.length, place.rawValue, response.lastUse.timeIntervalSinceReferenceDate,
        response.responseTime.timeIntervalSinceReferenceDate, response.url, record,
      ])
    if case .bytes(let data) = body, !data.isEmpty {
      try database.cachedStatement(sql: "INSERT INTO bodies (id, bytes) VALUES (?, ?)").execute(
        arguments: [response.id, BodyChecksums.sealed(data, id: response.id)])
    }
    changed.insert(hash)
    if !response.requestFields.isEmpty { try limitVariants(hash) }
  }

  private func charge(_ response: StoredResponse, _ record: Data, _ body: CacheChange.Body) -> Int64 {
    let row = IndexTransaction.rowCost + Int64(response.url.utf8.count + record.count)
    switch body {
    case .bytes(let data): return row + Int64(data.count) + BodyChecksums.size(ofBody: Int64(data.count))
    case .file(_, let length), .placed(let length):
      let (block, length) = (IndexTransaction.blockSize, min(length, .max / 4))
      return row + (length + BodyChecksums.size(ofBody: length) + block - 1) / block * block
    }
  }

  private mutating func update(_ response: StoredResponse) throws {
    let record = response.record
    try database.cachedStatement(
      sql: """
        UPDATE responses SET size = size - length(record) + ?, stored = ?, record = ? WHERE id = ?
        """
    ).execute(arguments: [record.count, response.responseTime.timeIntervalSinceReferenceDate, record, response.id])
    if database.changesCount > 0 { changed.insert(CacheKey.hash(response.url)) }
  }

  private mutating func limitVariants(_ hash: Int64) throws {
    try remove(
      "hash = ? AND id NOT IN (SELECT id FROM responses WHERE hash = ? ORDER BY stored DESC LIMIT \(CacheVariants.variantLimit))",
      [hash, hash])
  }

  func bytesUsed() throws -> Int64 { max(0, try Int64.fetchOne(database, sql: "SELECT bytes FROM usage") ?? 0) }

  func countAnew() throws {
    try database.execute(sql: "UPDATE usage SET bytes = (SELECT CAST(total(max(0, size)) AS INTEGER) FROM responses)")
  }

  mutating func remove(_ condition: String, _ arguments: StatementArguments) throws {
    let select = try database.cachedStatement(sql: "SELECT id, hash, place FROM responses WHERE \(condition)")
    let rows = try Row.fetchAll(select, arguments: arguments)
    let delete = try database.cachedStatement(sql: "DELETE FROM responses WHERE id = ?")
    for row in rows {
      guard let id = row.value(0, Int64.self) else { continue }
      try delete.execute(arguments: [id])
      outcome.removed.append(id)
      if let hash = row.value(1, Int64.self) { changed.insert(hash) }
      if row.value(2).flatMap(BodyPlace.init) == .file { outcome.orphans.append(id) }
    }
  }

  private mutating func removeAll() throws {
    outcome.orphans += try Int64.fetchAll(
      database, sql: "SELECT id FROM responses WHERE place = ?", arguments: [BodyPlace.file.rawValue])
    try database.execute(sql: "DELETE FROM responses; DELETE FROM bodies; UPDATE usage SET bytes = 0")
    outcome.removedAll = true
    changed = []
  }
}
