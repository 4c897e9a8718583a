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
      let waiting = WaitingTransfers(database: database, now: now)
      // A round that doesn't fill the list has ended at least one transfer that can't be read.
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
      let first = try database.rows(sql).first?.value(0, Double.self)
      return first.flatMap { $0 < TransferDeadline.none ? Date(stored: $0) : nil }
    }
  }
}
