import Foundation
import Stores

extension TransferQueue {
  /// A transfer that hasn't ended, as read from the database.
  package struct Transfer: Sendable {
    /// Identifier in the database; the event of the transfer's end has the same.
    package let identifier: Int64
    package let session: Int64
    package var order: TransferOrder
    package var isSuspended: Bool
    package var attempts: Int
    /// When the next attempt may begin; nil for at once.
    package var next: Date?
    /// Since when the transfer may begin as far as its app is concerned; nil while it is suspended.
    package var waitingSince: Date?
    package var resumeData: Data?
    package var progress: TransferProgress
    package var response: Data?
    package let created: Date
    package var deadline: Date
    package var waitReason: String?

    /// Memory that the transfer takes, about, in bytes: the values that can be large.
    package var size: Int {
      order.request.count + (order.resumeData?.count ?? 0) + (resumeData?.count ?? 0) + (response?.count ?? 0)
    }
  }

  /// A part of a session's transfers.
  package struct Page: Sendable {
    package var transfers: [Transfer]
    /// The transfer behind which the next page begins; nil if this is the last page.
    package var next: Int64?
  }

  /// Properties of an order that lists show, stored apart from it, so that the whole order needn't be decrypted for lists.
  struct Notes: Codable {
    var description: String?
    var destination: String?

    /// nil if the order has none of these properties.
    init?(_ order: TransferOrder) {
      guard order.description != nil || order.destination != nil else { return nil }
      (description, destination) = (order.description, order.destination)
    }
  }

  /// Adds a transfer, which is suspended until `setSuspended`.
  ///
  /// - Throws: `TransferQueueError`: no such session, an invalidated one, or a task identifier that was used before.
  package func add(_ order: TransferOrder, to session: Int64, now: Date) throws -> Transfer {
    let content = try seal.seal(order, as: .transfer(.order, session: session, task: order.task))
    let notes = try sealedNotes(order, session)
    return try perform { database in
      try admit(order.task, session, database)
      let (created, earliest) = (now.stored, order.earliestBegin.map { time.moment(wall: $0).stored })
      // The counts before the transfer begins: for an upload the size of its file, as the app's own task has it.
      let expectedToSend = order.source?.size ?? order.expectsToSend
      try database.run(
        """
        INSERT INTO transfers (
          session, task, state, kind, url, priority, earliest, ready, created, deadline, expected_to_send, expected_to_receive, notes
        ) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          session, order.task, order.kind.rawValue, order.shownURL, TransferQueue.priority(order), earliest, earliest ?? 0, created,
          TransferDeadline.none, expectedToSend, order.expectsToReceive, notes,
        ])
      let identifier = database.lastInsertedRowID
      try database.run("INSERT INTO contents (transfer, content) VALUES (?, ?)", [identifier, content])
      try database.run("UPDATE sessions SET next_task = max(next_task, ?) WHERE identifier = ?", [order.task &+ 1, session])
      let progress = TransferProgress(
        task: order.task, sent: 0, received: 0, expectedToSend: expectedToSend, expectedToReceive: order.expectsToReceive)
      return Transfer(
        identifier: identifier, session: session, order: order, isSuspended: true, attempts: 0, progress: progress,
        created: Date(stored: created), deadline: Date(stored: TransferDeadline.none))
    }
  }

  /// - Throws: If the session doesn't exist, is invalidated, or has used the task identifier before.
  private func admit(_ task: Int, _ session: Int64, _ database: Database) throws {
    let sql = "SELECT is_invalidated, highest_removed_task FROM sessions WHERE identifier = ?"
    guard let row = try database.rows(sql, [session]).first else { throw TransferQueueError.noSession(session) }
    guard row.value(0, Bool.self) == false else { throw TransferQueueError.sessionIsInvalidated(session) }
    try TaskNumbers(session: session, database: database).take(task, highestRemoved: row.value(1) ?? 0)
  }

  static func priority(_ order: TransferOrder) -> Double { order.priority.isNaN ? 0.5 : Double(min(max(order.priority, 0), 1)) }

  func sealedNotes(_ order: TransferOrder, _ session: Int64) throws -> Data? {
    try Notes(order).map { try seal.seal($0, as: .transfer(.notes, session: session, task: order.task)) }
  }

  package func transfer(_ identifier: Int64) throws -> Transfer? {
    try page("identifier = ?", [identifier]).transfers.first
  }

  package func transfer(session: Int64, task: Int) throws -> Transfer? {
    try page("session = ? AND task = ?", [session, task]).transfers.first
  }

  /// Whether the database has a transfer of the task, or the event of its end.
  package func hasTransfer(session: Int64, task: Int) throws -> Bool {
    try perform { try !$0.rows("SELECT 1 FROM transfers WHERE session = ? AND task = ?", [session, task]).isEmpty }
  }

  /// A page of the session's transfers that haven't ended, in the order in which they were added.
  ///
  /// - Parameters:
  ///   - previous: The transfer behind which the page begins; 0 for the first page.
  ///   - last: The newest transfer to return.
  ///   - limit: Maximum number of transfers.
  ///   - bytes: The page ends with the transfer that brings it to this size.
  package func page(
    of session: Int64, after previous: Int64 = 0, upTo last: Int64 = .max, limit: Int = .max, bytes: Int
  ) throws -> Page {
    try page(
      "session = ? AND identifier > ? AND identifier <= ?", [session, previous, last], limit: limit, bytes: bytes)
  }

  /// All transfers of the session that haven't ended, in one array.
  package func transfers(of session: Int64) throws -> [Transfer] { try page(of: session, bytes: .max).transfers }

  /// The order of a transfer, also of one that has ended and whose event hasn't been taken; nil if there is none.
  package func order(_ identifier: Int64) throws -> TransferOrder? {
    try perform { database in
      let sql = "SELECT session, task, content FROM transfers JOIN contents ON transfer = identifier WHERE identifier = ?"
      guard let row = try database.rows(sql, [identifier]).first, let session: Int64 = row.value(0), let task: Int = row.value(1) else {
        return nil
      }
      return seal.open(TransferOrder.self, row.value(2), as: .transfer(.order, session: session, task: task))
    }
  }

  private func page(_ condition: String, _ arguments: StatementArguments, limit: Int = .max, bytes: Int = .max) throws -> Page {
    try perform { database in
      let (page, damaged) = try TransferReader(seal: seal, database: database).page(condition, arguments, limit, bytes)
      for identifier in damaged { try endDamaged(identifier, database) }
      return page
    }
  }
}
