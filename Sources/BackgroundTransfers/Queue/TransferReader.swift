import Foundation
import Stores

/// Reads transfers from the database of a `TransferQueue`, within a transaction.
struct TransferReader {
  let seal: RecordSeal
  let database: Database

  /// The transfers that haven't ended and meet the SQL `condition`, in the order in which they were added.
  ///
  /// - Parameters:
  ///   - limit: Maximum number of transfers.
  ///   - bytes: The page ends with the transfer that brings it to this size.
  /// - Returns: The page, and the identifiers of transfers whose records are damaged.
  func page(
    _ condition: String, _ arguments: StatementArguments, _ limit: Int, _ bytes: Int
  ) throws -> (TransferQueue.Page, damaged: [Int64]) {
    var (page, damaged, size) = (TransferQueue.Page(transfers: []), [Int64](), 0)
    // A cursor instead of an array: there may be many rows, and large ones.
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT identifier, session, task, state, attempts, next, earliest, resumed, created, deadline,
          sent, received, expected_to_send, expected_to_receive, reason, content, resume_data, response
        FROM transfers LEFT JOIN contents ON transfer = identifier WHERE state < 2 AND \(condition) ORDER BY identifier
        """, arguments: arguments)
    while let row = try rows.next() {
      let identifier: Int64 = row.value(0) ?? 0
      if let transfer = transfer(row) {
        page.transfers.append(transfer)
        size += transfer.size
      } else {
        damaged.append(identifier)
      }
      guard size < bytes, page.transfers.count < limit else {
        page.next = identifier
        break
      }
    }
    return (page, damaged)
  }

  /// nil if the order can't be decrypted.
  private func transfer(_ row: Row) -> TransferQueue.Transfer? {
    var columns = ColumnReader(row)
    guard let identifier: Int64 = columns.next(), let session: Int64 = columns.next(), let task: Int = columns.next() else { return nil }
    let isSuspended = columns.next() == QueueTables.State.suspended.rawValue
    let attempts: Int = columns.next() ?? 0
    let (next, earliest, resumed) = (columns.date(), columns.date(), columns.date())
    let (created, deadline) = (columns.date(), columns.date())
    let progress = TransferProgress(
      task: task, sent: columns.next() ?? 0, received: columns.next() ?? 0, expectedToSend: columns.next() ?? -1,
      expectedToReceive: columns.next() ?? -1)
    let reason = seal.reason(columns.next(), session, task)
    guard let order = seal.open(TransferOrder.self, columns.next(), as: .transfer(.order, session: session, task: task)) else { return nil }
    // If resume data or response can't be decrypted, the transfer begins from its start.
    let resumeData = columns.next(Data.self).flatMap { seal.open($0, .transfer(.resumeData, session: session, task: task)) }
    let response = columns.next(Data.self).flatMap { seal.open($0, .transfer(.response, session: session, task: task)) }
    return TransferQueue.Transfer(
      identifier: identifier, session: session, order: order, isSuspended: isSuspended, attempts: attempts, next: next,
      waitingSince: isSuspended ? nil : resumed.map { max($0, earliest ?? $0) }, resumeData: resumeData, progress: progress,
      response: response, created: created ?? .distantPast, deadline: deadline ?? .distantFuture, waitReason: reason)
  }
}
