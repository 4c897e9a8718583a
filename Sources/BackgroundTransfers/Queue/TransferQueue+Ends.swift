import Foundation
import Stores

extension TransferQueue {
  /// A part of a session's events.
  package struct EventPage: Sendable {
    package var events: [TransferEvent] = []
    /// Position of the page's last event: the next page begins behind it.
    package var last: Int64 = 0
    /// Whether no event follows this page.
    package var isLast = false

    package init() {}
  }

  /// Stores the end of a transfer; its event is kept until the app has taken it.
  ///
  /// - Returns: The event; if the transfer had ended before, the stored one.
  package func finish(_ identifier: Int64, _ outcome: TransferOutcome, now: Date) throws -> TransferEvent {
    try perform { database in
      guard let spot = try TransferSpot(identifier, database) else { throw TransferQueueError.noTransfer(identifier) }
      if spot.hasEnded, let kept = try events("identifier = ?", [identifier], database).first { return kept }
      try end(identifier, spot, outcome, now, database)
      return TransferEvent(identifier: identifier, task: spot.task, outcome: outcome)
    }
  }

  /// Removes the resume data of all downloads under way, because after a crash of the machine their files may have holes.
  package func forgetParts() throws {
    try perform { database in
      try database.run(
        """
        UPDATE contents SET resume_data = NULL
        WHERE transfer IN (SELECT identifier FROM transfers WHERE state < 2 AND kind = 'download')
        """, [])
    }
  }

  /// Removes the transfer without an event for its app.
  package func finishUntold(_ identifier: Int64, now: Date) throws {
    try perform { database in
      guard let spot = try TransferSpot(identifier, database) else { return }
      try remove(identifier, spot, database)
      try log.add("The transfer was removed; its app isn't told.", transfer: identifier, now: now)
    }
  }

  private func end(_ identifier: Int64, _ spot: TransferSpot, _ outcome: TransferOutcome, _ now: Date?, _ database: Database) throws {
    let sealed = try seal.seal(outcome, as: spot.place(.outcome))
    let reason = try outcome.error.map { try seal.seal(Data($0.description.utf8), spot.place(.reason)) }
    let state = outcome.error == nil ? QueueTables.State.finished : .failed
    // Never a number that was used before, even if all events were taken: pages of events begin behind such a number.
    try database.run("UPDATE sessions SET last_ended = last_ended + 1 WHERE identifier = ?", [spot.session])
    try database.run(
      """
      UPDATE transfers SET state = ?, reason = ?, next = NULL, ended_at = ?, sent = ?, received = ?, expected_to_send = ?,
        expected_to_receive = ?, ended = (SELECT last_ended FROM sessions WHERE sessions.identifier = ?)
      WHERE identifier = ?
      """,
      [
        state.rawValue, reason, now?.stored, outcome.sent, outcome.received, outcome.expectedToSend, outcome.expectedToReceive,
        spot.session, identifier,
      ])
    try database.run(
      "UPDATE contents SET resume_data = NULL, response = NULL, outcome = ? WHERE transfer = ?", [sealed, identifier])
  }

  /// Ends a transfer with an error, because its order can't be decrypted.
  func endDamaged(_ identifier: Int64, _ database: Database) throws {
    guard let spot = try TransferSpot(identifier, database), !spot.hasEnded else { return }
    // The row in `contents`, to which the outcome is written, may be missing.
    try database.run("INSERT OR IGNORE INTO contents (transfer, content) VALUES (?, x'')", [identifier])
    let url = try database.rows("SELECT url FROM transfers WHERE identifier = ?", [identifier]).first?.value(0, String.self)
    try end(identifier, spot, TransferQueue.damage(url), nil, database)
    noteDamage(identifier)
  }

  /// Events of transfers that were ended since the last call because their records are damaged, with their sessions.
  package func takeDamaged() throws -> [(session: Int64, event: TransferEvent)] {
    try perform { database in
      try forgetDamage().compactMap { identifier in
        // The transaction that had ended the transfer may have been rolled back.
        guard let spot = try TransferSpot(identifier, database), let event = try events("identifier = ?", [identifier], database).first
        else {
          return nil
        }
        return (spot.session, event)
      }
    }
  }

  /// The outcome of a transfer whose record can't be decrypted.
  private static func damage(_ url: String?) -> TransferOutcome {
    // NSURLErrorCannotOpenFile
    var error = ErrorValue(
      domain: "NSURLErrorDomain", code: -3001,
      description: "What the daemon kept of this transfer can't be read: the file is damaged, or its key was lost. Start it again.")
    error.failingURL = url
    var outcome = TransferOutcome()
    outcome.error = error
    return outcome
  }

  /// Events that the app hasn't taken, in the order in which the transfers ended.
  ///
  /// - Parameters:
  ///   - previous: Identifier of the event behind which the list begins; nil for the first.
  ///   - limit: Maximum number of events.
  package func events(of session: Int64, after previous: Int64? = nil, limit: Int = .max) throws -> [TransferEvent] {
    try perform { database in
      var ended = 0
      if let previous {
        ended = try database.rows("SELECT ended FROM transfers WHERE identifier = ?", [previous]).first?.value(0) ?? 0
      }
      return try events("session = ? AND ended > ? ORDER BY ended LIMIT ?", [session, ended, limit], database)
    }
  }

  /// A page of the events that the app hasn't taken, in the order in which the transfers ended.
  ///
  /// - Parameters:
  ///   - previous: `last` of the page before; 0 for the first page.
  ///   - limit: Maximum number of events.
  ///   - bytes: The page ends with the event that brings it to this size.
  package func eventPage(of session: Int64, after previous: Int64 = 0, limit: Int = .max, bytes: Int) throws -> EventPage {
    try perform { try page("session = ? AND ended > ? ORDER BY ended", [session, previous], limit, bytes, $0) }
  }

  private func events(_ condition: String, _ arguments: StatementArguments, _ database: Database) throws -> [TransferEvent] {
    try page(condition, arguments, .max, .max, database).events
  }

  private func page(
    _ condition: String, _ arguments: StatementArguments, _ limit: Int, _ bytes: Int, _ database: Database
  ) throws -> EventPage {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT identifier, session, task, url, outcome, content, ended, kind FROM transfers LEFT JOIN contents ON transfer = identifier
        WHERE state >= 2 AND \(condition)
        """, arguments: arguments)
    var (page, size) = (EventPage(), 0)
    while let row = try rows.next() {
      guard let identifier: Int64 = row.value(0), let session: Int64 = row.value(1), let task: Int = row.value(2) else { continue }
      let outcome = seal.open(TransferOutcome.self, row.value(4), as: .transfer(.outcome, session: session, task: task))
      let order = seal.open(TransferOrder.self, row.value(5), as: .transfer(.order, session: session, task: task))
      page.events.append(
        TransferEvent(
          identifier: identifier, task: task, order: order, kind: row.value(7, String.self).flatMap { TransferOrder.Kind(rawValue: $0) },
          outcome: outcome ?? TransferQueue.damage(row.value(3))))
      page.last = row.value(6) ?? page.last
      size += (row.value(4, Data.self)?.count ?? 0) + (row.value(5, Data.self)?.count ?? 0)
      guard size < bytes, page.events.count < limit else { return page }
    }
    page.isLast = true
    return page
  }

  /// Removes events that the app has taken. Unknown ones and those of other sessions are ignored.
  ///
  /// - Returns: Paths of the events' files, which the caller removes.
  package func take(_ events: [Int64], of session: Int64) throws -> [String] {
    try perform { database in
      var files: [String] = []
      for identifier in events {
        guard let spot = try TransferSpot(identifier, database), spot.hasEnded, spot.session == session else { continue }
        let sealed = try database.rows("SELECT outcome FROM contents WHERE transfer = ?", [identifier]).first?.value(0, Data.self)
        let outcome = seal.open(TransferOutcome.self, sealed, as: spot.place(.outcome))
        if let file = outcome?.file { files.append(file) }
        try remove(identifier, spot, database)
      }
      return files
    }
  }

  private func remove(_ identifier: Int64, _ spot: TransferSpot, _ database: Database) throws {
    try database.run("DELETE FROM contents WHERE transfer = ?", [identifier])
    try database.run("DELETE FROM transfers WHERE identifier = ?", [identifier])
    try TaskNumbers(session: spot.session, database: database).remove(spot.task)
  }
}
