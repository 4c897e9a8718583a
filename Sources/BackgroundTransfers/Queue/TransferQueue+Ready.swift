import Foundation
import Stores

extension TransferQueue {
  /// Maximum number of transfers that one call returns; far above what a daemon runs at once.
  private static let limit = 100_000

  /// How many transfers each session has under way, and how many one may have.
  package struct Shares: Sendable {
    var taken: [Int64: Int]
    var largest: Int

    package init(taken: [Int64: Int], largest: Int) { (self.taken, self.largest) = (taken, largest) }

    /// How many more transfers of the session may begin.
    func rest(_ session: Int64) -> Int { max(0, largest - (taken[session] ?? 0)) }
  }

  /// The transfers that may begin: not suspended, and not waiting for a moment; in the order of `TurnRules`.
  ///
  /// - Parameters:
  ///   - limit: Maximum number of transfers.
  ///   - bytes: The list ends with the transfer that brings it to this size.
  ///   - running: Transfers under way, which aren't listed. They count for the order of the sessions.
  ///   - shares: Leaves out transfers of sessions that have their share under way; nil to leave out none.
  package func ready(
    now: Date, limit: Int, bytes: Int = .max, excluding running: Set<Int64>, shares: Shares? = nil
  ) throws -> [Transfer] {
    let limit = min(limit, TransferQueue.limit)
    return try perform { database in
      var (ready, size): ([Transfer], Int) = ([], 0)
      var (begun, shares) = (running, shares)
      let waiting = WaitingTransfers(database: database, now: now)
      // A round may yield fewer transfers than it has looked at, because it ends those whose records are damaged: then another one follows.
      while ready.count < limit {
        let turns = try waiting.turns(limit - ready.count, begun, shares)
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

  /// When the next transfer that waits for a moment may begin; nil if none does.
  package func nextMoment(after now: Date) throws -> Date? {
    try perform { database in
      let sql = "SELECT min(ready) FROM transfers INDEXED BY transfers_ready WHERE state = 0 AND ready > ?"
      return try database.rows(sql, [now.stored]).first?.value(0, Double.self).map { Date(stored: $0) }
    }
  }

  /// Transfers whose deadlines have passed, suspended ones included, earliest first.
  package func overdue(now: Date, limit: Int = .max) throws -> [Int64] {
    try perform { database in
      let sql = "SELECT identifier FROM transfers INDEXED BY transfers_deadline WHERE state < 2 AND deadline <= ? ORDER BY deadline LIMIT ?"
      return try database.rows(sql, [now.stored, limit]).compactMap { $0.value(0) }
    }
  }

  /// The earliest deadline of the transfers that haven't ended; nil if none has one.
  package func nextDeadline() throws -> Date? {
    try perform { database in
      let sql = "SELECT min(deadline) FROM transfers INDEXED BY transfers_deadline WHERE state < 2"
      let first = try database.rows(sql).first?.value(0, Double.self)
      return first.flatMap { $0 < TransferDeadline.none ? Date(stored: $0) : nil }
    }
  }
}
