import Stores

/// Asks whether a session has transfers or events, and how many. A part of `TransferQueue`.
package struct QueuePresence: Sendable {
  let file: QueueFile

  /// Whether the session has transfers that haven't ended and aren't suspended.
  package func hasWaiting(in session: Int64) throws -> Bool {
    try exists("SELECT 1 FROM transfers INDEXED BY transfers_waiting WHERE state = 0 AND session = ? LIMIT 1", session)
  }

  /// Whether transfers of the session wait for an answer of its app, and aren't suspended.
  package func awaitsApp(_ session: Int64) throws -> Bool {
    try exists("SELECT 1 FROM transfers INDEXED BY transfers_awaiting WHERE awaits_app = 1 AND session = ? AND state = 0 LIMIT 1", session)
  }

  /// Identifier of the session's newest transfer that hasn't ended; 0 if there is none.
  package func newestTransfer(of session: Int64) throws -> Int64 {
    try file.perform { database in
      let sql = "SELECT max(identifier) FROM transfers INDEXED BY transfers_session WHERE state < 2 AND session = ?"
      return try database.rows(sql, [session]).first?.value(0) ?? 0
    }
  }

  /// Whether the session has events that its app hasn't taken.
  package func hasEvents(of session: Int64) throws -> Bool {
    try exists("SELECT 1 FROM transfers INDEXED BY transfers_ended WHERE state >= 2 AND session = ? LIMIT 1", session)
  }

  /// How many events of the session its app hasn't taken.
  package func countOfEvents(of session: Int64) throws -> Int {
    try count("SELECT count(*) FROM transfers INDEXED BY transfers_ended WHERE state >= 2 AND session = ?", session)
  }

  /// How many transfers of the session haven't ended.
  package func countOfTransfers(of session: Int64) throws -> Int {
    try count("SELECT count(*) FROM transfers INDEXED BY transfers_session WHERE state < 2 AND session = ?", session)
  }

  private func count(_ sql: String, _ session: Int64) throws -> Int {
    try file.perform { try $0.rows(sql, [session]).first?.value(0) ?? 0 }
  }

  private func exists(_ sql: String, _ session: Int64) throws -> Bool {
    try file.perform { try !$0.rows(sql, [session]).isEmpty }
  }
}
