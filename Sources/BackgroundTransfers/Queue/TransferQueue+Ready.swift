import Foundation
import Stores

extension TransferQueue {
  /// More than a daemon runs at once: what one call may look at.
  private static let limit = 100_000

  /// The transfers that may begin: neither suspended nor waiting for a moment, in the order of `TurnRules`.
  ///
  /// - Parameter running: Those that have begun. They count for the turns of their sessions.
  package func ready(now: Date, limit: Int, excluding running: Set<Int64>) throws -> [Transfer] {
    let limit = min(limit, TransferQueue.limit)
    return try perform { database in
      var ready: [Transfer] = []
      var begun = running
      // A round that doesn't fill the list has ended at least one transfer that can't be read.
      while ready.count < limit {
        let turns = try turns(now, limit - ready.count, begun, database)
        guard !turns.isEmpty else { break }
        let transfers = try turns.compactMap { try transfer($0) }
        ready += transfers
        begun.formUnion(transfers.map(\.identifier))
      }
      return ready
    }
  }

  private func turns(_ now: Date, _ limit: Int, _ begun: Set<Int64>, _ database: Database) throws -> [Int64] {
    var busy: [Int64: Int] = [:]
    for identifier in begun { if let spot = try spot(identifier, database) { busy[spot.session, default: 0] += 1 } }
    let lines = try database.rows("SELECT identifier FROM sessions WHERE is_readable = 1").compactMap { row -> TurnRules.Line? in
      guard let session: Int64 = row.value(0) else { return nil }
      let running = busy[session] ?? 0
      // Some of those found may be running.
      let rows = try database.rows(
        """
        SELECT identifier, priority FROM transfers INDEXED BY transfers_waiting
        WHERE state = 0 AND session = ? AND ready <= ? ORDER BY priority DESC, identifier LIMIT ?
        """, [session, now.stored, limit + running])
      let waiting = rows.compactMap { row -> TurnRules.Candidate? in
        guard let identifier: Int64 = row.value(0), !begun.contains(identifier) else { return nil }
        return TurnRules.Candidate(identifier: identifier, priority: row.value(1) ?? 0)
      }
      return TurnRules.Line(running: running, waiting: waiting[...])
    }
    return TurnRules.order(lines, limit: limit)
  }

  /// When the next of those that wait for a moment may become ready; nil if none does.
  package func nextMoment(after now: Date) throws -> Date? {
    try perform { database in
      let sql = "SELECT min(ready) FROM transfers INDEXED BY transfers_ready WHERE state = 0 AND ready > ?"
      return try database.rows(sql, [now.stored]).first?.value(0, Double.self).map { Date(stored: $0) }
    }
  }

  /// Those past their deadlines, suspended or not.
  package func overdue(now: Date) throws -> [Int64] {
    try perform { database in
      let sql = "SELECT identifier FROM transfers INDEXED BY transfers_deadline WHERE state < 2 AND deadline <= ? ORDER BY deadline"
      return try database.rows(sql, [now.stored]).compactMap { $0.value(0) }
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
