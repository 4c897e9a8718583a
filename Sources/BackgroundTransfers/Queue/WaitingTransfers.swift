import Foundation
import Stores

/// Finds the transfers that may begin now, session by session.
struct WaitingTransfers {
  let database: Database
  let now: Date

  /// The transfers that begin next, in the order of `TurnRules`.
  ///
  /// - Parameters:
  ///   - limit: Maximum number of transfers.
  ///   - begun: Transfers under way, which aren't returned; they count for the order of the sessions.
  func turns(_ limit: Int, _ begun: Set<Int64>, _ shares: TransferQueue.Shares?) throws -> [Int64] {
    var busy: [Int64: Int] = [:]
    for identifier in begun { if let spot = try TransferSpot(identifier, database) { busy[spot.session, default: 0] += 1 } }
    // More rows than `limit` are read, because some of them may be transfers under way.
    let rows = try database.rows(WaitingTransfers.lines, [now.stored, limit + (busy.values.max() ?? 0)])
    var lines: [Int64: [TurnRules.Candidate]] = [:]
    for row in rows {
      guard let session: Int64 = row.value(0), let identifier: Int64 = row.value(1), !begun.contains(identifier) else { continue }
      guard lines[session]?.count ?? 0 < shares?.rest(session) ?? .max else { continue }
      let candidate = TurnRules.Candidate(identifier: identifier, priority: row.value(2) ?? 0, attempts: row.value(3) ?? 0)
      lines[session, default: []].append(candidate)
    }
    return TurnRules.order(lines.map { TurnRules.Line(running: busy[$0] ?? 0, waiting: $1[...]) }, limit: limit)
  }

  /// SQL query: the first waiting transfers of each session that has some. The recursion goes through the index from one session to the next, so that
  /// sessions without waiting transfers cost nothing.
  private static let lines = """
    WITH RECURSIVE line (session) AS (
      SELECT min(session) FROM transfers INDEXED BY transfers_waiting WHERE state = 0
      UNION ALL
      SELECT (
        SELECT min(later.session) FROM transfers AS later INDEXED BY transfers_waiting
        WHERE later.state = 0 AND later.session > line.session
      ) FROM line WHERE line.session IS NOT NULL
    )
    SELECT line.session, transfers.identifier, transfers.priority, transfers.attempts FROM line
    JOIN sessions ON sessions.identifier = line.session AND sessions.is_readable = 1
    JOIN transfers ON transfers.identifier IN (
      SELECT one.identifier FROM transfers AS one INDEXED BY transfers_waiting
      WHERE one.state = 0 AND one.session = line.session AND one.ready <= ?
      ORDER BY one.priority DESC, one.attempts, one.identifier LIMIT ?
    )
    ORDER BY line.session, transfers.priority DESC, transfers.attempts, transfers.identifier
    """
}
