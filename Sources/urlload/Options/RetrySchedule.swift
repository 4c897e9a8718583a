import Foundation

/// Decides by `--retry` and its related options whether, and after how long, a load is tried again. Pure.
struct RetrySchedule: Sendable, Equatable {
  /// Maximum number of attempts after the first one.
  var count = 0
  /// Seconds between tries; nil for 1, 2, 4 and so on.
  var delay: Double?
  /// Seconds after the first attempt's beginning after which no further one begins; nil for no limit.
  var limit: Double?
  /// Whether failures that won't pass by themselves lead to another attempt, too.
  var retriesAllErrors = false

  private static let longest = 600.0

  /// Seconds until the next attempt; nil if there is none.
  /// - Parameters:
  ///   - tries: Number of failed attempts, 1 and up.
  ///   - elapsed: Seconds since the first attempt began.
  func delay(after failure: ToolFailure, tries: Int, elapsed: Double) -> Double? {
    guard tries <= count else { return nil }
    var retryAfter: Double?
    switch failure.transience {
    case .passing(let seconds): retryAfter = seconds
    case .lasting: guard retriesAllErrors else { return nil }
    }
    let wait = max(delay ?? min(RetrySchedule.longest, pow(2, Double(min(tries, 20) - 1))), retryAfter ?? 0)
    if let limit, elapsed + wait > limit { return nil }
    return wait
  }
}
