import Foundation
import Stores

extension TransferQueue {
  /// A transfer that hasn't ended.
  package struct Transfer: Sendable {
    /// In the queue; the event of its end has the same.
    package let identifier: Int64
    package let session: Int64
    package var order: TransferOrder
    package var isSuspended: Bool
    package var attempts: Int
    /// When it is tried again; nil if it hasn't failed.
    package var next: Date?
    /// Since when it may begin as far as the app is concerned; nil while it is suspended.
    package var waitingSince: Date?
    package var resumeData: Data?
    package var progress: TransferProgress
    package var response: Data?
    package let created: Date
    package var deadline: Date
    package var waitReason: String?

    /// About how many bytes it takes: what of it has no bound of its own.
    package var size: Int {
      order.request.count + (order.resumeData?.count ?? 0) + (resumeData?.count ?? 0) + (response?.count ?? 0)
    }
  }

  /// Some of many transfers.
  package struct Page: Sendable {
    package var transfers: [Transfer]
    /// Behind which transfer the next page begins; nil if there is none.
    package var next: Int64?
  }

  /// What listings show of an order besides the columns.
  struct Notes: Codable {
    var description: String?
    var destination: String?

    /// nil if there is nothing to show.
    init?(_ order: TransferOrder) {
      guard order.description != nil || order.destination != nil else { return nil }
      (description, destination) = (order.description, order.destination)
    }
  }

  /// Takes a transfer in. It is suspended until `setSuspended`.
  ///
  /// - Throws: `TransferQueueError`, also if a task of the session has had the identifier before.
  package func add(_ order: TransferOrder, to session: Int64, now: Date) throws -> Transfer {
    let content = try seal.seal(order, as: .transfer(.order, session: session, task: order.task))
    let notes = try sealedNotes(order, session)
    return try perform { database in
      try admit(order.task, session, database)
      let (created, earliest) = (now.stored, order.earliestBegin.map { time.moment(wall: $0).stored })
      // What is told of the transfer before it begins: of an upload what it has to send, as the app's task says.
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

  /// - Throws: If the session takes no new task of this identifier.
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

  /// Whether there is a transfer of the task, or the event of its end.
  package func hasTransfer(session: Int64, task: Int) throws -> Bool {
    try perform { try !$0.rows("SELECT 1 FROM transfers WHERE session = ? AND task = ?", [session, task]).isEmpty }
  }

  /// Those that haven't ended, in the order of their making.
  ///
  /// - Parameters:
  ///   - previous: Those behind this one.
  ///   - last: None that is newer.
  ///   - limit: How many at most.
  ///   - bytes: The page ends with the transfer that reaches so many.
  package func page(
    of session: Int64, after previous: Int64 = 0, upTo last: Int64 = .max, limit: Int = .max, bytes: Int
  ) throws -> Page {
    try page(
      "session = ? AND identifier > ? AND identifier <= ?", [session, previous, last], limit: limit, bytes: bytes)
  }

  /// All of them at once.
  package func transfers(of session: Int64) throws -> [Transfer] { try page(of: session, bytes: .max).transfers }

  /// The order of a transfer, also of one that has ended and whose event hasn't been taken.
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
