import Foundation
import Stores

// Moments in the queue are those of `TimeCount`, which goes on where the wall clock is set. What an app means by the wall clock,
// `earliestBeginDate`, is moved when that happens.

extension TransferQueue {
  /// Goes on to count time, or begins to. To be called before anything else of the queue is asked.
  ///
  /// After a start of the machine attempts that wait for their time don't wait any longer: how long the machine was off may not be known, and
  /// there may be another network.
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

  /// The wall clock has been set.
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

  /// Moves the beginnings that apps have ordered with the wall clock, and the deadlines that count from them.
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
