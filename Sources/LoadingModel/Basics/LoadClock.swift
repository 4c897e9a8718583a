import Foundation

/// A point on the monotonic clock, in nanoseconds.
package struct Instant: Codable, Sendable, Hashable, Comparable {
  package var nanoseconds: UInt64
  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  package static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// The instant `seconds` later; at the end of the clock's range it saturates, so that "forever" is a valid interval. Negative values and NaN
  /// count as zero.
  package func advanced(bySeconds seconds: Double) -> Instant {
    guard seconds > 0 else { return self }
    let delta = seconds * 1e9
    guard delta < Double(UInt64.max / 2) else { return Instant(nanoseconds: .max) }
    let (sum, overflow) = nanoseconds.addingReportingOverflow(UInt64(delta))
    return Instant(nanoseconds: overflow ? .max : sum)
  }

  package func seconds(since earlier: Instant) -> Double {
    nanoseconds >= earlier.nanoseconds
      ? Double(nanoseconds - earlier.nanoseconds) / 1e9 : -Double(earlier.nanoseconds - nanoseconds) / 1e9
  }
}

/// The clock of a session: the system's in production, a manual one in tests.
///
/// `wake` calls `action` once on any thread, at or after `deadline`. It can't be cancelled: its owner ignores a call that it no longer needs.
package protocol LoadClock: Sendable {
  var now: Instant { get }
  /// The time of day, for data that outlives the process or comes from another machine: ages of stored responses, dates in header fields.
  var date: Date { get }
  func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void)
  /// As `wake`, for an owner that may end long before `deadline`: the action keeps its memory until then, or until it is cancelled.
  func plan(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> PlannedWake
}

/// A wake that its owner can cancel.
package struct PlannedWake: Sendable {
  private let withdraw: @Sendable () -> Void

  package init(_ withdraw: @escaping @Sendable () -> Void) { self.withdraw = withdraw }

  /// Releases the wake's action; no effect once it has run, or is about to run.
  package func cancel() { withdraw() }
}

extension LoadClock {
  package var date: Date { Date() }

  package func plan(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> PlannedWake {
    wake(at: deadline, action)
    return PlannedWake {}
  }
}
