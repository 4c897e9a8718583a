import Foundation
import Stores

/// The daemon's log of its transfers: encrypted lines, the latest 10,000 of which are kept.
///
/// A part of `TransferQueue`; each call is a transaction, or part of the one that its thread is in.
package struct QueueLog: Sendable {
  /// How many lines are kept.
  static let limit: Int64 = 10_000

  let file: QueueFile

  /// Adds a line to the log, and removes the oldest one above the limit.
  ///
  /// - Parameter transfer: nil for a line about the daemon as a whole.
  package func add(_ text: String, transfer: Int64?, now: Date) throws {
    let sealed = try file.seal.seal(Data(text.utf8), .log)
    try file.perform { database in
      try database.run("INSERT INTO log (time, transfer, text) VALUES (?, ?, ?)", [now.stored, transfer, sealed])
      try database.run("DELETE FROM log WHERE identifier <= ?", [database.lastInsertedRowID - QueueLog.limit])
    }
  }

  /// The latest lines, oldest first, of one transfer, or of all if nil. Lines that can't be decrypted are left out.
  package func lines(transfer: Int64?, limit: Int) throws -> [LogLine] {
    try file.perform { database in
      let all = "SELECT time, transfer, text FROM log"
      let order = " ORDER BY identifier DESC LIMIT ?"
      let rows =
        if let transfer {
          try database.rows(all + " WHERE transfer = ?" + order, [transfer, max(0, limit)])
        } else {
          try database.rows(all + order, [max(0, limit)])
        }
      return rows.reversed().compactMap { row in
        var columns = ColumnReader(row)
        guard let time = columns.date() else { return nil }
        let transfer: Int64? = columns.next()
        guard let sealed: Data = columns.next(), let text = file.seal.open(sealed, .log) else { return nil }
        return LogLine(time: time, transfer: transfer, text: String(decoding: text, as: UTF8.self))
      }
    }
  }
}
