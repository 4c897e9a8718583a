import Foundation
import Stores

/// What `urlload background` shows of the transfers, as the database has them.
///
/// A part of `TransferQueue`; each call is a transaction, or part of the one that its thread is in.
package struct QueueReports: Sendable {
  let file: QueueFile
  let sessions: QueueSessions

  /// Numbers of transfers. Finished ones have ended, with an error or not, and their events haven't been taken; waiting ones include those that run.
  package func counts() throws -> (waiting: Int, suspended: Int, finished: Int) {
    try file.perform { database in
      var counts: [Int: Int] = [:]
      for row in try database.rows("SELECT min(state, 2), count(*) FROM transfers GROUP BY 1") {
        counts[row.value(0) ?? 0] = row.value(1) ?? 0
      }
      return (counts[0] ?? 0, counts[1] ?? 0, counts[2] ?? 0)
    }
  }

  /// The transfers, oldest first. The database doesn't know which of them run: these are listed as waiting.
  package func transfers(limit: Int = .max) throws -> [TransferListing] {
    try file.perform { database in
      let sessions = Dictionary(try sessions.all().map { ($0.identifier, $0.terms) }, uniquingKeysWith: { $1 })
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
    // If the session's terms can't be decrypted, the names of app and session aren't known.
    var listing = TransferListing(
      identifier: identifier, app: terms?.app.name ?? "", session: terms?.identifier ?? "", task: task, kind: kind, url: url,
      phase: QueueReports.phase(state))
    listing.sent = columns.next() ?? 0
    listing.received = columns.next() ?? 0
    listing.expectedToSend = columns.next() ?? 0
    listing.expectedToReceive = columns.next() ?? -1
    listing.attempts = columns.next() ?? 0
    listing.created = columns.date() ?? .distantPast
    let ready: Double = columns.next() ?? 0
    listing.next = state == .waiting && ready > 0 ? Date(stored: ready) : nil
    listing.reason = file.seal.reason(columns.next(), session, task)
    let notes = file.seal.open(TransferQueue.Notes.self, columns.next(), as: .transfer(.notes, session: session, task: task))
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
}
