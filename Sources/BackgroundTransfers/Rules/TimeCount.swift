import Foundation

/// What the machine's clocks show at one moment.
package struct ClockReading: Sendable, Equatable {
  /// The wall clock: a person, or the network, sets it. A machine without a clock that runs on begins in 1970.
  package var wall: Date
  /// Seconds since the machine was started, those that it slept included.
  package var sinceBoot: Double
  /// Tells the machine's present run from others.
  package var boot: String

  package init(wall: Date, sinceBoot: Double, boot: String) {
    self.wall = wall
    self.sinceBoot = sinceBoot
    self.boot = boot
  }

  /// That of now.
  package static var system: ClockReading {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return ClockReading(wall: Date(), sinceBoot: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, boot: thisBoot)
  }

  private static let thisBoot: String = {
    let text = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
    // Without one each process counts as another run.
    return text.isEmpty ? UUID().uuidString : text.trimmingCharacters(in: .whitespacesAndNewlines)
  }()

  /// Whether a clock can show this moment that is right: one before this program was written is of a clock that nothing has set.
  package static func isPlausible(_ date: Date) -> Bool { date.timeIntervalSince1970 > 1_735_689_600 }
}

/// Counts the time that passes, whatever becomes of the wall clock: retries, deadlines and pauses are moments of the count.
///
/// The count begins as the wall clock's time and is kept on disk. While the machine runs it goes on with the kernel's clock, which is never
/// set. How long the machine was off only the wall clock tells, if it was right before and is now.
package struct TimeCount: Sendable, Equatable {
  /// Seconds by which the wall clock may leave the count without having been set: it is made faster and slower all the time.
  private static let tolerance = 1.0

  /// When the count was kept.
  package let reading: ClockReading
  /// What the count was then.
  package let count: Date

  /// The first one.
  package init(beginningAt reading: ClockReading) { self.init(reading: reading, count: reading.wall) }

  package init(reading: ClockReading, count: Date) {
    self.reading = reading
    self.count = count
  }

  /// The count at another reading.
  package func moment(_ now: ClockReading) -> Date { count.addingTimeInterval(seconds(until: now)) }

  /// The count, kept anew.
  package func continued(_ now: ClockReading) -> TimeCount { TimeCount(reading: now, count: moment(now)) }

  /// Whether the machine has been started since, so that how much time has passed may not be known.
  package func isOfEarlierRun(_ now: ClockReading) -> Bool { now.boot != reading.boot || now.sinceBoot < reading.sinceBoot }

  private func seconds(until now: ClockReading) -> Double {
    guard isOfEarlierRun(now) else { return now.sinceBoot - reading.sinceBoot }
    guard ClockReading.isPlausible(reading.wall), ClockReading.isPlausible(now.wall) else { return 0 }
    return max(0, now.wall.timeIntervalSince(reading.wall))
  }

  /// Seconds by which the wall clock was ahead of the count.
  package var offset: Double { reading.wall.timeIntervalSince(count) }

  /// Whether the wall clock has been set since.
  package func isSet(_ now: ClockReading) -> Bool {
    abs(now.wall.timeIntervalSince(moment(now)) - offset) >= TimeCount.tolerance
  }

  /// A moment that an app means by the wall clock, in the count.
  package func moment(wall: Date) -> Date { wall.addingTimeInterval(-offset) }

  /// A moment of the count as the wall clock shows it.
  package func wall(_ moment: Date) -> Date { moment.addingTimeInterval(offset) }
}
