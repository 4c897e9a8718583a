import Stores

/// Decides which task identifiers a session may still use.
///
/// Threads of an app may create tasks in another order than that of their identifiers, so that a transfer may have ended and been removed before one
/// with a lower identifier is added. The identifier of a removed transfer is never used again, because the app's own records name the task by it.
struct TaskNumbers {
  /// How far below the highest identifier of a removed transfer an unused identifier may still be taken.
  static let reach = 4096

  let session: Int64
  let database: Database

  /// Takes the identifier for a new transfer.
  ///
  /// - Parameter highestRemoved: The highest identifier of a removed transfer.
  /// - Throws: `TransferQueueError.taskIdentifierUsed`.
  func take(_ task: Int, highestRemoved: Int) throws {
    let used = try database.rows("SELECT 1 FROM transfers WHERE session = ? AND task = ?", [session, task])
    guard used.isEmpty else { throw TransferQueueError.taskIdentifierUsed(task) }
    guard task <= highestRemoved else { return }
    let open = try database.rows("SELECT 1 FROM open_tasks WHERE session = ? AND task = ?", [session, task])
    guard !open.isEmpty else { throw TransferQueueError.taskIdentifierUsed(task) }
    try database.run("DELETE FROM open_tasks WHERE session = ? AND task = ?", [session, task])
  }

  /// Notes that the transfer with this identifier was removed; unused identifiers below it stay available as far as `reach`.
  func remove(_ task: Int) throws {
    let row = try database.rows("SELECT highest_removed_task FROM sessions WHERE identifier = ?", [session]).first
    guard let highest: Int = row?.value(0), task > highest else { return }
    try database.run("UPDATE sessions SET highest_removed_task = ? WHERE identifier = ?", [task, session])
    let first = max(highest + 1, task - TaskNumbers.reach)
    guard first < task else { return }
    let rows = try database.rows("SELECT task FROM transfers WHERE session = ? AND task >= ? AND task < ?", [session, first, task])
    let used = Set(rows.compactMap { $0.value(0, Int.self) })
    for number in first..<task where !used.contains(number) {
      try database.run("INSERT OR IGNORE INTO open_tasks (session, task) VALUES (?, ?)", [session, number])
    }
    try database.run("DELETE FROM open_tasks WHERE session = ? AND task < ?", [session, task - TaskNumbers.reach])
  }
}
