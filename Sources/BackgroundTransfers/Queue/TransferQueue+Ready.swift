import Foundation
import Stores

extension TransferQueue {
  /// More than a daemon runs at once: what one call may look at.
  private static let limit = 100_000

  /// How many transfers sessions have under way, and how many they may have.
  package struct Shares: Sendable {
    var taken: [Int64: Int]
    var largest: Int

    package init(taken: [Int64: Int], largest: Int) { (self.taken, self.largest) = (taken, largest) }

    /// How many more of a session may begin.
    func rest(_ session: Int64) -> Int { max(0, largest - (taken[session] ?? 0)) }
  }

  /// The transfers that may begin: neither suspended nor waiting for a moment, in the order of `TurnRules`.
  ///
  /// - Parameters:
  ///   - bytes: The list ends with the transfer that reaches so many.
  ///   - running: Those that have begun. They count for the turns of their sessions.
  ///   - shares: Of sessions that have enough under way none is read; nil where that doesn't matter.
  package func ready(
    now: Date, limit: Int, bytes: Int = .max, excluding running: Set<Int64>, shares: Shares? = nil
  ) throws -> [Transfer] {
    let limit = min(limit, TransferQueue.limit)
    return try perform { database in
      var (ready, size): ([Transfer], Int) = ([], 0)
      var (begun, shares) = (running, shares)
      // A round that doesn't fill the list has ended at least one transfer that can't be read.
      while ready.count < limit {
        let turns = try turns(now, limit - ready.count, begun, shares, database)
        guard !turns.isEmpty else { break }
        for identifier in turns {
          guard let transfer = try transfer(identifier) else { continue }
          ready.append(transfer)
          shares?.taken[transfer.session, default: 0] += 1
          begun.insert(identifier)
          size += transfer.size
          guard size < bytes else { return ready }
        }
      }
      return ready
    }
  }

  private func turns(_ now: Date, _ limit: Int, _ begun: Set<Int64>, _ shares: Shares?, _ database: Database) throws -> [Int64] {
    var busy: [Int64: Int] = [:]
    for identifier in begun { if let spot = try spot(identifier, database) { busy[spot.session, default: 0] += 1 } }
    // Some of those found may be running.
    let rows = try database.rows(TransferQueue.lines, [now.stored, limit + (busy.values.max() ?? 0)])
    var lines: [Int64: [TurnRules.Candidate]] = [:]
    for row in rows {
      guard let session: Int64 = row.value(0), let identifier: Int64 = row.value(1), !begun.contains(identifier) else { continue }
      guard lines[session]?.count ?? 0 < shares?.rest(session) ?? .max else { continue }
      lines[session, default: []].append(TurnRules.Candidate(identifier: identifier, priority: row.value(2) ?? 0))
    }
    return TurnRules.order(lines.map { TurnRules.Line(running: busy[$0] ?? 0, waiting: $1[...]) }, limit: limit)
  }

  /// What waits first in each session that has something waiting. The index is asked for one session after the other: those with nothing to
  /// do cost nothing, however many they are.
  private static let lines = """
    WITH RECURSIVE line (session) AS (
      SELECT min(session) FROM transfers INDEXED BY transfers_waiting WHERE state = 0
      UNION ALL
      SELECT (
        SELECT min(later.session) FROM transfers AS later INDEXED BY transfers_waiting
        WHERE later.state = 0 AND later.session > line.session
      ) FROM line WHERE line.session IS NOT NULL
    )
    SELECT line.session, transfers.identifier, transfers.priority FROM line
    JOIN sessions ON sessions.identifier = line.session AND sessions.is_readable = 1
    JOIN transfers ON transfers.identifier IN (
      SELECT one.identifier FROM transfers AS one INDEXED BY transfers_waiting
      WHERE one.state = 0 AND one.session = line.session AND one.ready <= ? ORDER BY one.priority DESC, one.identifier LIMIT ?
    )
    ORDER BY line.session, transfers.priority DESC, transfers.identifier
    """

  /// When the next of those that wait for a moment may become ready; nil if none does.
  package func nextMoment(after now: Date) throws -> Date? {
    try perform { database in
      let sql = "SELECT min(ready) FROM transfers INDEXED BY transfers_ready WHERE state = 0 AND ready > ?"
      return try database.rows(sql, [now.stored]).first?.value(0, Double.self).map { Date(stored: $0) }
    }
  }

  /// Those past their deadlines, suspended or not.
  package func overdue(now: Date, limit: Int = .max) throws -> [Int64] {
    try perform { database in
      let sql = "SELECT identifier FROM transfers INDEXED BY transfers_deadline WHERE state < 2 AND deadline <= ? ORDER BY deadline LIMIT ?"
      return try database.rows(sql, [now.stored, limit]).compactMap { $0.value(0) }
    }
  }

  /// The first deadline of those that haven't ended.
  package func nextDeadline() throws -> Date? {
    try perform { database in
      let sql = "SELECT min(deadline) FROM transfers INDEXED BY transfers_deadline WHERE state < 2"
      return try database.rows(sql).first?.value(0, Double.self).map { Date(stored: $0) }
    }
  }
}
