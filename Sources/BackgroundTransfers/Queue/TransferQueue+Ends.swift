import Foundation
import Stores

extension TransferQueue {
  /// Some of many events.
  package struct EventPage: Sendable {
    package var events: [TransferEvent] = []
    /// Where the next page begins.
    package var last: Int64 = 0
    /// Whether there is none behind these.
    package var isLast = false

    package init() {}
  }

  /// The transfer has ended; its event is kept until it is taken.
  ///
  /// - Returns: The event; of a transfer that had ended before, the one that is kept.
  package func finish(_ identifier: Int64, _ outcome: TransferOutcome, now: Date) throws -> TransferEvent {
    try perform { database in
      guard let spot = try TransferSpot(identifier, database) else { throw TransferQueueError.noTransfer(identifier) }
      if spot.hasEnded, let kept = try events("identifier = ?", [identifier], database).first { return kept }
      try end(identifier, spot, outcome, now, database)
      return TransferEvent(identifier: identifier, task: spot.task, outcome: outcome)
    }
  }

  /// Downloads under way begin anew: what of them lies on the disk can't be relied on.
  package func forgetParts() throws {
    try perform { database in
      try database.run(
        """
        UPDATE contents SET resume_data = NULL
        WHERE transfer IN (SELECT identifier FROM transfers WHERE state < 2 AND kind = 'download')
        """, [])
    }
  }

  /// The transfer has ended, and its app isn't told.
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
    // Never one that was used before, also if all of those have been taken: what an app has been told of is known by it.
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

  /// Ends a transfer whose order can't be opened.
  func endDamaged(_ identifier: Int64, _ database: Database) throws {
    guard let spot = try TransferSpot(identifier, database), !spot.hasEnded else { return }
    // Where the row of the contents is missing, the outcome still needs one.
    try database.run("INSERT OR IGNORE INTO contents (transfer, content) VALUES (?, x'')", [identifier])
    let url = try database.rows("SELECT url FROM transfers WHERE identifier = ?", [identifier]).first?.value(0, String.self)
    try end(identifier, spot, TransferQueue.damage(url), nil, database)
    noteDamage(identifier)
  }

  /// Those that a read has ended because they can't be read, since the last call, and their sessions.
  package func takeDamaged() throws -> [(session: Int64, event: TransferEvent)] {
    try perform { database in
      try forgetDamage().compactMap { identifier in
        // The transaction that has ended it may have been undone.
        guard let spot = try TransferSpot(identifier, database), let event = try events("identifier = ?", [identifier], database).first
        else {
          return nil
        }
        return (spot.session, event)
      }
    }
  }

  /// The outcome of a transfer whose record is unreadable.
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

  /// The events that haven't been taken, in the order in which the transfers ended.
  ///
  /// - Parameters:
  ///   - previous: Those behind this one; nil for the first.
  ///   - limit: How many at most.
  package func events(of session: Int64, after previous: Int64? = nil, limit: Int = .max) throws -> [TransferEvent] {
    try perform { database in
      var ended = 0
      if let previous {
        ended = try database.rows("SELECT ended FROM transfers WHERE identifier = ?", [previous]).first?.value(0) ?? 0
      }
      return try events("session = ? AND ended > ? ORDER BY ended LIMIT ?", [session, ended, limit], database)
    }
  }

  /// Some of the events that haven't been taken, in the order in which the transfers ended.
  ///
  /// - Parameters:
  ///   - previous: Those behind the `last` of an earlier page; 0 for the first.
  ///   - limit: How many at most.
  ///   - bytes: The page ends with the event that reaches so many.
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

  /// The app has been told of these events: they are removed. Those of other sessions, and unknown ones, are left alone.
  ///
  /// - Returns: Paths of files to remove.
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
