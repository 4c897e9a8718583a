import Stores

/// A transfer's session, task identifier and state, by which its encrypted records are found.
struct TransferSpot {
  let session: Int64
  let task: Int
  let hasEnded: Bool

  /// nil if there is no such transfer.
  init?(_ identifier: Int64, _ database: Database) throws {
    let rows = try database.rows("SELECT session, task, state FROM transfers WHERE identifier = ?", [identifier])
    guard let row = rows.first, let session: Int64 = row.value(0), let task: Int = row.value(1), let state: Int = row.value(2) else {
      return nil
    }
    self.session = session
    self.task = task
    hasEnded = state >= QueueTables.State.finished.rawValue
  }

  /// The place that authenticates the encryption of this part of the transfer's record.
  func place(_ part: RecordSeal.Place.Part) -> RecordSeal.Place { .transfer(part, session: session, task: task) }
}
