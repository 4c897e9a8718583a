import Foundation
import Stores

extension TransferQueue {
  /// How many lines the log keeps.
  static let logLimit: Int64 = 10_000

  /// Finished are those that have ended, with an error or not, and haven't been taken.
  package func counts() throws -> (waiting: Int, suspended: Int, finished: Int) {
    try perform { database in
      var counts: [Int: Int] = [:]
      for row in try database.rows("SELECT min(state, 2), count(*) FROM transfers GROUP BY 1") {
        counts[row.value(0) ?? 0] = row.value(1) ?? 0
      }
      return (counts[0] ?? 0, counts[1] ?? 0, counts[2] ?? 0)
    }
  }

  /// The transfers, oldest first. Which of them run the queue doesn't know: they are listed as waiting.
  package func listings(limit: Int = .max) throws -> [TransferListing] {
    try perform { database in
      let sessions = Dictionary(try sessions().map { ($0.identifier, $0.terms) }, uniquingKeysWith: { $1 })
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT identifier, session, task, kind, url, state, sent, received, expected_to_send, expected_to_receive, attempts, created,
            ready, reason, notes FROM transfers ORDER BY identifier LIMIT ?
          """, arguments: [limit])
      var listings: [TransferListing] = []
      while let row = try rows.next() { listings.append(listing(row, sessions)) }
      return listings
    }
  }

  private func listing(_ row: Row, _ sessions: [Int64: SessionTerms]) -> TransferListing {
    var columns = ColumnReader(row)
    let (identifier, session): (Int64, Int64) = (columns.next() ?? 0, columns.next() ?? 0)
    let (task, terms) = (columns.next(Int.self) ?? 0, sessions[session])
    let kind = columns.next(String.self).flatMap { TransferOrder.Kind(rawValue: $0) } ?? .download
    let url: String = columns.next() ?? ""
    let state = columns.next(Int.self).flatMap { QueueTables.State(rawValue: $0) } ?? .failed
    // The names of a session whose terms can't be opened aren't known.
    var listing = TransferListing(
      identifier: identifier, app: terms?.app.name ?? "", session: terms?.identifier ?? "", task: task, kind: kind, url: url,
      phase: TransferQueue.phase(state))
    listing.sent = columns.next() ?? 0
    listing.received = columns.next() ?? 0
    listing.expectedToSend = columns.next() ?? 0
    listing.expectedToReceive = columns.next() ?? -1
    listing.attempts = columns.next() ?? 0
    listing.created = columns.date() ?? .distantPast
    let ready: Double = columns.next() ?? 0
    listing.next = state == .waiting && ready > 0 ? Date(stored: ready) : nil
    listing.reason = text(columns.next(), session, task)
    let notes = seal.open(Notes.self, columns.next(), as: .transfer(.notes, session: session, task: task))
    (listing.description, listing.destination) = (notes?.description, notes?.destination)
    return listing
  }

  private static func phase(_ state: QueueTables.State) -> TransferListing.Phase {
    switch state {
    case .waiting: .waiting
    case .suspended: .suspended
    case .finished: .finished
    case .failed: .failed
    }
  }

  /// Adds a line to the log, which keeps the latest 10,000.
  ///
  /// - Parameter transfer: nil for what concerns the daemon as a whole.
  package func log(_ text: String, transfer: Int64?, now: Date) throws {
    let sealed = try seal.seal(Data(text.utf8), .log)
    try perform { database in
      try database.run("INSERT INTO log (time, transfer, text) VALUES (?, ?, ?)", [now.stored, transfer, sealed])
      try database.run("DELETE FROM log WHERE identifier <= ?", [database.lastInsertedRowID - TransferQueue.logLimit])
    }
  }

  /// The latest lines, oldest first; of one transfer, or all. Lines that can't be opened are left out.
  package func logLines(transfer: Int64?, limit: Int) throws -> [LogLine] {
    try perform { database in
      let all = "SELECT time, transfer, text FROM log"
      let order = " ORDER BY identifier DESC LIMIT ?"
      let rows =
        if let transfer {
          try database.rows(all + " WHERE transfer = ?" + order, [transfer, max(0, limit)])
        } else {
          try database.rows(all + order, [max(0, limit)])
        }
      return rows.reversed().compactMap { row in
        var columns = ColumnReader(row)
        guard let time = columns.date() else { return nil }
        let transfer: Int64? = columns.next()
        guard let sealed: Data = columns.next(), let text = seal.open(sealed, .log) else { return nil }
        return LogLine(time: time, transfer: transfer, text: String(decoding: text, as: UTF8.self))
      }
    }
  }
}
