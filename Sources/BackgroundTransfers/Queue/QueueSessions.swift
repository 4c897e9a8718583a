import Cryptography
import Foundation
import Stores

/// The sessions in the database: their encrypted terms, launches of their apps, and whether they take tasks.
///
/// A part of `TransferQueue`; each call is a transaction, or part of the one that its thread is in.
package struct QueueSessions: Sendable {
  let file: QueueFile

  /// A background session that an app has opened.
  package struct Session: Sendable {
    package let identifier: Int64
    package var terms: SessionTerms
    /// The lowest task identifier above all that the session has had.
    package var nextTask: Int
    package var launches: LaunchHistory
    package var isInvalidated: Bool
    /// Whether the app that has opened the session last takes challenges.
    package var answersChallenges: Bool
  }

  private static let columns = """
    SELECT identifier, terms, next_task, launch_failures, last_launch, next_launch, is_invalidated, key, answers_challenges FROM sessions
    """

  /// Adds the session, or replaces its terms. An invalidated session takes tasks again.
  package func open(_ terms: SessionTerms, answersChallenges: Bool = false, now: Date = Date()) throws -> Session {
    let key = QueueSessions.digest(terms.key)
    let sealed = try file.seal.seal(terms, as: .session(key: key))
    return try file.perform { database in
      try database.run(
        """
        INSERT INTO sessions (key, terms, resource_timeout, used, answers_challenges) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET
          terms = excluded.terms, resource_timeout = excluded.resource_timeout, used = excluded.used, is_readable = 1, is_invalidated = 0,
          answers_challenges = excluded.answers_challenges
        """, [key, sealed, QueueSessions.timeout(terms.resourceTimeout), now.stored, answersChallenges ? 1 : 0])
      guard let session = try find(terms.key) else { throw TransferQueueError.noSession(0) }
      return session
    }
  }

  /// All sessions whose terms can be decrypted, oldest first.
  package func all() throws -> [Session] {
    try file.perform { database in
      try database.rows(QueueSessions.columns + " ORDER BY identifier").compactMap { try read($0, database) }
    }
  }

  package func find(_ identifier: Int64) throws -> Session? {
    try file.perform { database in
      try database.rows(QueueSessions.columns + " WHERE identifier = ?", [identifier]).first.flatMap { try read($0, database) }
    }
  }

  package func find(_ key: SessionKey) throws -> Session? {
    try file.perform { database in
      let rows = try database.rows(QueueSessions.columns + " WHERE key = ?", [QueueSessions.digest(key)])
      return try rows.first.flatMap { try read($0, database) }
    }
  }

  package func keepLaunches(_ history: LaunchHistory, of session: Int64) throws {
    try file.perform { database in
      try database.run(
        "UPDATE sessions SET launch_failures = ?, last_launch = ?, next_launch = ? WHERE identifier = ?",
        [history.failures, history.last?.stored, history.next?.stored, session])
    }
  }

  /// How many launches of the session's app in a row have led to no taken event and no answer.
  package func launchFailures(of session: Int64) throws -> Int {
    try file.perform { try $0.rows("SELECT launch_failures FROM sessions WHERE identifier = ?", [session]).first?.value(0) ?? 0 }
  }

  /// Whether the app has invalidated the session: it takes no more tasks.
  package func isInvalidated(_ session: Int64) throws -> Bool {
    try file.perform { try !$0.rows("SELECT 1 FROM sessions WHERE identifier = ? AND is_invalidated = 1", [session]).isEmpty }
  }

  /// Has the session take no more tasks, until it is opened again.
  package func invalidate(_ session: Int64) throws {
    try file.perform { try $0.run("UPDATE sessions SET is_invalidated = 1 WHERE identifier = ?", [session]) }
  }

  /// Removes the session if it has neither transfers nor events.
  package func removeIfEmpty(_ session: Int64) throws {
    try file.perform { database in
      try database.run(
        "DELETE FROM sessions WHERE identifier = ?1 AND NOT EXISTS (SELECT 1 FROM transfers WHERE session = ?1)", [session])
      try database.run(QueueSessions.removeNumbers)
    }
  }

  private static let removeNumbers = "DELETE FROM open_tasks WHERE session NOT IN (SELECT identifier FROM sessions)"

  /// Stores that the session's app has detached now.
  package func keepUse(of session: Int64, now: Date) throws {
    try file.perform { try $0.run("UPDATE sessions SET used = ? WHERE identifier = ?", [now.stored, session]) }
  }

  /// Removes the sessions that have neither transfers nor events, and that no app has had attached since `moment`.
  ///
  /// - Parameter attached: Sessions that are attached now, and stay.
  /// - Returns: The removed sessions.
  package func removeUnused(since moment: Date, except attached: Set<Int64>) throws -> [Int64] {
    try file.perform { database in
      let sql = """
        SELECT identifier FROM sessions
        WHERE used < ? AND NOT EXISTS (SELECT 1 FROM transfers WHERE transfers.session = sessions.identifier)
        """
      let unused = try database.rows(sql, [moment.stored]).compactMap { $0.value(0, Int64.self) }.filter { !attached.contains($0) }
      for session in unused { try database.run("DELETE FROM sessions WHERE identifier = ?", [session]) }
      if !unused.isEmpty { try database.run(QueueSessions.removeNumbers) }
      return unused
    }
  }

  /// nil if the terms can't be decrypted: transfers of the session wait until its app opens it again.
  private func read(_ row: Row, _ database: Database) throws -> Session? {
    var columns = ColumnReader(row)
    let identifier: Int64 = columns.next() ?? 0
    let sealed: Data? = columns.next()
    let nextTask: Int = columns.next() ?? 1
    let launches = LaunchHistory(failures: columns.next() ?? 0, last: columns.date(), next: columns.date())
    let isInvalidated = columns.next(Bool.self) ?? false
    let key: Data = columns.next() ?? Data()
    let answersChallenges = columns.next(Bool.self) ?? false
    guard let terms = file.seal.open(SessionTerms.self, sealed, as: .session(key: key)) else {
      try database.run("UPDATE sessions SET is_readable = 0 WHERE identifier = ? AND is_readable = 1", [identifier])
      return nil
    }
    return Session(
      identifier: identifier, terms: terms, nextTask: nextTask, launches: launches, isInvalidated: isInvalidated,
      answersChallenges: answersChallenges)
  }

  /// Hash by which a session is found, because its terms are encrypted.
  private static func digest(_ key: SessionKey) -> Data {
    var hash = RunningHash(.sha256)
    for part in [key.app, key.data, key.identifier] { hash.update(Data("\(part.utf8.count):\(part)".utf8)) }
    return Data(hash.finalized())
  }

  /// The timeout in seconds, bounded to a century, so that it can be added to a date.
  private static func timeout(_ seconds: Double) -> Double {
    let century = 3_155_760_000.0
    return seconds.isNaN ? century : min(max(seconds, 0), century)
  }
}
