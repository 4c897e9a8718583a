import Stores

/// Which numbers the tasks of one session may still have.
///
/// Threads of an app make tasks in another order than that of their numbers, so that a transfer may have ended, and have been removed, before
/// one of a lower number is made. A number whose transfer was removed isn't used again: what an app notes of a task is known by it.
struct TaskNumbers {
  /// How far below the highest number of a removed transfer one that was never used may lie.
  static let reach = 4096

  let session: Int64
  let database: Database

  /// Takes the number for a new transfer.
  ///
  /// - Parameter highestRemoved: The highest number of a removed transfer.
  /// - Throws: `TransferQueueError.taskIdentifierUsed`.
  func take(_ task: Int, highestRemoved: Int) throws {
    let used = try database.rows("SELECT 1 FROM transfers WHERE session = ? AND task = ?", [session, task])
    guard used.isEmpty else { throw TransferQueueError.taskIdentifierUsed(task) }
    guard task <= highestRemoved else { return }
    let open = try database.rows("SELECT 1 FROM open_tasks WHERE session = ? AND task = ?", [session, task])
    guard !open.isEmpty else { throw TransferQueueError.taskIdentifierUsed(task) }
    try database.run("DELETE FROM open_tasks WHERE session = ? AND task = ?", [session, task])
  }

  /// The transfer of the number has been removed.
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
