import Foundation
import Stores

// Moments in the database are those of `TimeCount`, which isn't affected when the wall clock is set. An `earliestBeginDate` follows the wall clock,
// and is moved when that is set.

extension TransferQueue {
  /// Continues the stored time count, or begins one. Must be called before any other function of the queue.
  ///
  /// After a reboot pauses between attempts are dropped: how long the machine was off may be unknown, and it may be in another network.
  package func beginTime(_ now: ClockReading) throws -> TimeCount {
    try perform { database in
      try database.run(TransferDeadline.repair)
      guard let kept = try keptTime(database) else { return try keep(TimeCount(beginningAt: now), database) }
      time = kept
      if kept.isOfEarlierRun(now) {
        try database.run(
          "UPDATE transfers SET next = NULL, ready = coalesce(earliest, 0) WHERE state < 2 AND next IS NOT NULL")
        return try move(to: kept.continued(now), database)
      }
      return kept.isSet(now) ? try move(to: kept.continued(now), database) : kept
    }
  }

  /// Continues the time count after the wall clock was set.
  package func followClock(_ now: ClockReading) throws -> TimeCount {
    try perform { database in try move(to: time.continued(now), database) }
  }

  private func keptTime(_ database: Database) throws -> TimeCount? {
    guard let row = try database.rows("SELECT boot, since_boot, wall, count FROM clock WHERE identifier = 1").first else { return nil }
    var columns = ColumnReader(row)
    guard let boot: String = columns.next(), let sinceBoot: Double = columns.next(), let wall = columns.date(), let count = columns.date()
    else { return nil }
    return TimeCount(reading: ClockReading(wall: wall, sinceBoot: sinceBoot, boot: boot), count: count)
  }

  /// Moves the stored `earliestBeginDate`s so that they stay the same by the wall clock, and the deadlines that count from them.
  private func move(to next: TimeCount, _ database: Database) throws -> TimeCount {
    let change = next.offset - time.offset
    let begun = TransferDeadline.begun(changing: "earliest - ?1", at: "?2")
    try database.run(
      """
      UPDATE transfers SET earliest = earliest - ?1, ready = max(coalesce(next, 0), earliest - ?1),
        begun = \(begun), deadline = \(TransferDeadline.sql(begun: begun, earliest: "earliest - ?1"))
      WHERE earliest IS NOT NULL AND state < 2
      """, [change, next.count.stored])
    return try keep(next, database)
  }

  private func keep(_ count: TimeCount, _ database: Database) throws -> TimeCount {
    try database.run(
      "INSERT OR REPLACE INTO clock (identifier, boot, since_boot, wall, count) VALUES (1, ?, ?, ?, ?)",
      [count.reading.boot, count.reading.sinceBoot, count.reading.wall.stored, count.count.stored])
    time = count
    return count
  }
}
