import Foundation
import Stores

extension TransferQueue {
  /// Runs `body` in a transaction, unless the transfer has ended or doesn't exist.
  private func change(_ identifier: Int64, _ body: (TransferSpot, Database) throws -> Void) throws {
    try perform { database in
      guard let spot = try TransferSpot(identifier, database), !spot.hasEnded else { return }
      try body(spot, database)
    }
  }

  /// - Parameter now: When a resumed transfer begins to wait; with the first resume its deadline begins to count.
  package func setSuspended(_ isSuspended: Bool, _ identifier: Int64, now: Date = Date()) throws {
    try perform { database in
      if isSuspended {
        try database.run("UPDATE transfers SET state = 1, resumed = NULL WHERE identifier = ? AND state = 0", [identifier])
      } else {
        try database.run(
          """
          UPDATE transfers SET state = 0, resumed = ?1, begun = coalesce(begun, ?1),
            deadline = \(TransferDeadline.sql(begun: "coalesce(begun, ?1)"))
          WHERE identifier = ?2 AND state = 1
          """, [now.stored, identifier])
      }
    }
  }

  /// Changes properties of the transfer's task.
  /// - Parameter now: The moment of the change, which ends a wait for the earlier `earliestBegin`.
  package func change(_ change: TransferChange, _ identifier: Int64, now: Date) throws {
    try changeOrder(identifier, now: now) { order in
      if let description = change.description {
        order.description = description.isEmpty && change.isDescriptionEmpty != true ? nil : description
      }
      if let priority = change.priority { order.priority = priority }
      if let earliest = change.earliestBegin { order.earliestBegin = earliest > .distantPast ? earliest : nil }
      if let count = change.expectsToSend { order.expectsToSend = count }
      if let count = change.expectsToReceive { order.expectsToReceive = count }
    }
  }

  /// Replaces the transfer's request.
  package func replaceRequest(_ request: Data, _ identifier: Int64) throws {
    try changeOrder(identifier) { $0.request = request }
  }

  private func changeOrder(_ identifier: Int64, now: Date? = nil, _ body: (inout TransferOrder) -> Void) throws {
    try change(identifier) { spot, database in
      let sealed = try database.rows("SELECT content FROM contents WHERE transfer = ?", [identifier]).first?.value(0, Data.self)
      guard var order = seal.open(TransferOrder.self, sealed, as: spot.place(.order)) else {
        return try endDamaged(identifier, database)
      }
      body(&order)
      let content = try seal.seal(order, as: spot.place(.order))
      let notes = try sealedNotes(order, spot.session)
      try database.run("UPDATE contents SET content = ? WHERE transfer = ?", [content, identifier])
      let earliest = order.earliestBegin.map { time.moment(wall: $0).stored }
      let begun = TransferDeadline.begun(changing: "?3", at: "?5")
      try database.run(
        """
        UPDATE transfers SET priority = ?1, notes = ?2, earliest = ?3, ready = max(coalesce(next, 0), coalesce(?3, 0)),
          begun = \(begun), deadline = \(TransferDeadline.sql(begun: begun, earliest: "?3"))
        WHERE identifier = ?4
        """, [TransferQueue.priority(order), notes, earliest, identifier, now?.stored])
    }
  }

  /// Stores that an attempt has failed, or that the transfer was put off.
  ///
  /// - Parameters:
  ///   - attempts: How many attempts have failed.
  ///   - next: When the next attempt may begin; nil for at once.
  ///   - reason: Why the transfer waits, for lists.
  ///   - awaitsApp: Whether the transfer waits for an answer of its app, until `endWaitForApp` or the next attempt.
  package func keepAttempt(_ attempts: Int, next: Date?, reason: String?, awaitsApp: Bool = false, _ identifier: Int64) throws {
    try change(identifier) { spot, database in
      let reason = try reason.map { try seal.seal(Data($0.utf8), spot.place(.reason)) }
      try database.run(
        """
        UPDATE transfers SET attempts = ?1, next = ?2, ready = max(coalesce(?2, 0), coalesce(earliest, 0)), reason = ?3, awaits_app = ?5
        WHERE identifier = ?4
        """, [attempts, next?.stored, reason, identifier, awaitsApp ? 1 : 0])
    }
  }

  /// Lets transfers of the session that wait for an answer of its app begin.
  package func endWaitForApp(in session: Int64) throws {
    try perform { database in
      try database.run(
        """
        UPDATE transfers SET next = NULL, ready = coalesce(earliest, 0), reason = NULL, awaits_app = 0
        WHERE awaits_app = 1 AND session = ? AND state < 2
        """, [session])
    }
  }

  package func keepResumeData(_ data: Data?, _ identifier: Int64) throws {
    try change(identifier) { spot, database in
      let sealed = try data.map { try seal.seal($0, spot.place(.resumeData)) }
      try database.run("UPDATE contents SET resume_data = ? WHERE transfer = ?", [sealed, identifier])
    }
  }

  package func keepResponse(_ response: Data, _ identifier: Int64) throws {
    try change(identifier) { spot, database in
      let sealed = try seal.seal(response, spot.place(.response))
      try database.run("UPDATE contents SET response = ? WHERE transfer = ?", [sealed, identifier])
    }
  }

  package func keepProgress(_ progress: TransferProgress, _ identifier: Int64) throws {
    try perform { database in
      try database.run(
        """
        UPDATE transfers SET sent = ?, received = ?, expected_to_send = ?, expected_to_receive = ?
        WHERE identifier = ? AND state < 2
        """, [progress.sent, progress.received, progress.expectedToSend, progress.expectedToReceive, identifier])
    }
  }
}
