import Foundation

/// What becomes of a transfer whose attempt has failed.
package enum RetryDecision: Sendable, Equatable {
  /// The app is told.
  case fails
  /// Another attempt, after so many seconds, or when the network has changed.
  case retries(after: Double)
}

/// Which failures a background transfer outlives: those of the network. It is tried again until its deadline.
package enum TransferRetryRules {
  /// Seconds before the second attempt.
  package static let firstDelay = 1.0
  /// Seconds between attempts at most.
  package static let longestDelay = 300.0

  /// - Parameters:
  ///   - attempts: How many attempts have failed before this one.
  ///   - isHTTPAnswer: Whether the error stands for what a server has answered; the app is to see that.
  ///   - random: From 0 to 1; spreads the attempts of transfers that have failed at the same moment.
  package static func decide(_ error: ErrorValue, attempts: Int, isHTTPAnswer: Bool, random: Double) -> RetryDecision {
    guard !isHTTPAnswer, isTransient(error) else { return .fails }
    let delay = min(longestDelay, firstDelay * exp2(Double(min(max(attempts, 0), 16))))
    let share = random.isNaN ? 1 : min(max(random, 0), 1)
    return .retries(after: delay * (0.5 + share / 2))
  }

  private static func isTransient(_ error: ErrorValue) -> Bool {
    switch error.domain {
    case "NSURLErrorDomain": transientURLErrors.contains(error.code)
    case "NSPOSIXErrorDomain": transientSystemErrors.contains(Int32(clamping: error.code))
    default: false
    }
  }

  private static let transientURLErrors: Set<Int> = [
    -1001,  // timedOut
    -1003,  // cannotFindHost
    -1004,  // cannotConnectToHost
    -1005,  // networkConnectionLost
    -1006,  // dnsLookupFailed
    -1009,  // notConnectedToInternet
    -1018,  // internationalRoamingOff
    -1019,  // callIsActive
    -1020,  // dataNotAllowed
  ]

  private static let transientSystemErrors: Set<Int32> = [
    EPIPE, EADDRNOTAVAIL, ENETDOWN, ENETUNREACH, ENETRESET, ECONNABORTED, ECONNRESET, ENOTCONN, ETIMEDOUT, ECONNREFUSED, EHOSTDOWN,
    EHOSTUNREACH,
  ]
}
