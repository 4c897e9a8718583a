import Foundation
import LoadingModel

/// The machine's clocks at one moment.
package struct ClockReading: Sendable, Equatable {
  /// The wall clock, which a user or the network may set. A machine whose clock stops when it is off begins in 1970.
  package var wall: Date
  /// Seconds since the machine was started, including those in which it slept.
  package var sinceBoot: Double
  /// The kernel's boot identifier, which differs after each reboot.
  package var boot: String

  package init(wall: Date, sinceBoot: Double, boot: String) {
    self.wall = wall
    self.sinceBoot = sinceBoot
    self.boot = boot
  }

  /// The clocks now.
  package static var system: ClockReading {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return ClockReading(wall: Date(), sinceBoot: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, boot: thisBoot)
  }

  /// Without a boot identifier, each process counts as after a reboot.
  private static let thisBoot = SystemFile.bootIdentifier ?? UUID().uuidString

  /// Whether a clock that is right can show this moment: an earlier one than 2025 comes from a clock that was never set.
  package static func isPlausible(_ date: Date) -> Bool { date.timeIntervalSince1970 > 1_735_689_600 }
}

/// Counts the time that passes, independent of changes of the wall clock: retries, deadlines and pauses are moments of this count.
///
/// The count begins as the wall clock's time, and is stored on disk. While the machine runs it follows the kernel's CLOCK_BOOTTIME, which is never
/// set. After a reboot only the wall clock tells how long the machine was off, if it was right before and is right now.
package struct TimeCount: Sendable, Equatable {
  /// Seconds by which the wall clock may differ from the count without counting as set: NTP makes it run faster and slower.
  private static let tolerance = 1.0

  /// The clocks when the count was stored.
  package let reading: ClockReading
  /// The count when it was stored.
  package let count: Date

  /// Begins a count, as the wall clock's time.
  package init(beginningAt reading: ClockReading) { self.init(reading: reading, count: reading.wall) }

  package init(reading: ClockReading, count: Date) {
    self.reading = reading
    self.count = count
  }

  /// The count at the time of another reading.
  package func moment(_ now: ClockReading) -> Date { count.addingTimeInterval(seconds(until: now)) }

  /// The count to be stored at the time of this reading.
  package func continued(_ now: ClockReading) -> TimeCount { TimeCount(reading: now, count: moment(now)) }

  /// Whether the machine was rebooted since the count was stored, so that the time passed may be unknown.
  package func isOfEarlierRun(_ now: ClockReading) -> Bool { now.boot != reading.boot || now.sinceBoot < reading.sinceBoot }

  private func seconds(until now: ClockReading) -> Double {
    guard isOfEarlierRun(now) else { return now.sinceBoot - reading.sinceBoot }
    guard ClockReading.isPlausible(reading.wall), ClockReading.isPlausible(now.wall) else { return 0 }
    return max(0, now.wall.timeIntervalSince(reading.wall))
  }

  /// Seconds by which the wall clock was ahead of the count when it was stored.
  package var offset: Double { reading.wall.timeIntervalSince(count) }

  /// Whether the wall clock was set since the count was stored.
  package func isSet(_ now: ClockReading) -> Bool {
    abs(now.wall.timeIntervalSince(moment(now)) - offset) >= TimeCount.tolerance
  }

  /// Converts a time of the wall clock, as apps give it, to a moment of the count.
  package func moment(wall: Date) -> Date { wall.addingTimeInterval(-offset) }

  /// Converts a moment of the count to a time of the wall clock.
  package func wall(_ moment: Date) -> Date { moment.addingTimeInterval(offset) }
}
