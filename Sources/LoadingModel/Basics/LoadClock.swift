import Foundation

/// A point on the monotonic clock, in nanoseconds.
package struct Instant: Codable, Sendable, Hashable, Comparable {
  package var nanoseconds: UInt64
  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  package static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// `seconds` later; saturates, so that "forever" is a legal interval. Negative and NaN count as zero.
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

/// Time as a session sees it. The system's clock in production; a manual one in tests.
///
/// `wake` may call back on any thread, once, at or after `deadline`; a wake that is no longer needed is simply ignored by its owner.
package protocol LoadClock: Sendable {
  var now: Instant { get }
  /// The time of day, for what outlives a process or comes from another machine: ages of stored responses, dates in header fields.
  var date: Date { get }
  func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void)
  /// As `wake`, for an owner that may end long before `deadline`: what is planned takes memory until then, or until it is cancelled.
  func plan(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> PlannedWake
}

/// A wake that can be cancelled.
package struct PlannedWake: Sendable {
  private let withdraw: @Sendable () -> Void

  package init(_ withdraw: @escaping @Sendable () -> Void) { self.withdraw = withdraw }

  /// Releases the wake; no effect once it has run, or is about to.
  package func cancel() { withdraw() }
}

extension LoadClock {
  package var date: Date { Date() }

  package func plan(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> PlannedWake {
    wake(at: deadline, action)
    return PlannedWake {}
  }
}
