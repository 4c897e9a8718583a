import Foundation

/// What `--retry` and the options beside it say: whether, and after how long, a load is tried again. Pure.
struct RetrySchedule: Sendable, Equatable {
  /// Tries besides the first.
  var count = 0
  /// Seconds between tries; nil for 1, 2, 4 and so on.
  var delay: Double?
  /// Seconds since the first try after which there is no other; nil for no limit.
  var limit: Double?
  /// Whether what would last is tried again too.
  var retriesAllErrors = false

  private static let longest = 600.0

  /// Seconds to wait before the next try; nil if there is none.
  /// - Parameters:
  ///   - tries: How many have failed, 1 and up.
  ///   - elapsed: Seconds since the first began.
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
