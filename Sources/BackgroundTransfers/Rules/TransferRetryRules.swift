import Foundation

/// Whether a transfer whose attempt has failed is tried again.
package enum RetryDecision: Sendable, Equatable {
  /// The transfer ends with the error.
  case fails
  /// Another attempt follows after so many seconds, or at once when the networks change.
  case retries(after: Double)
}

/// Which errors a background transfer survives: those of the network. It is tried again until its deadline.
package enum TransferRetryRules {
  /// Seconds between the first and the second attempt; each further pause is twice as long, up to `longestDelay`.
  package static let firstDelay = 1.0
  /// Longest pause between two attempts, in seconds.
  package static let longestDelay = 300.0

  /// - Parameters:
  ///   - attempts: How many attempts have failed before this one.
  ///   - isHTTPAnswer: Whether the error comes from a server's response, which ends the transfer.
  ///   - random: 0...1; spreads the attempts of transfers that have failed at the same moment.
  package static func decide(_ error: ErrorValue, attempts: Int, isHTTPAnswer: Bool, random: Double) -> RetryDecision {
    guard !isHTTPAnswer, isTransient(error) else { return .fails }
    let delay = min(longestDelay, firstDelay * exp2(Double(min(max(attempts, 0), 16))))
    let share = random.isNaN ? 1 : min(max(random, 0), 1)
    return .retries(after: delay * (0.5 + share / 2))
  }

  private static func isTransient(_ error: ErrorValue) -> Bool {
    switch error.domain {
    case "NSURLErrorDomain": transientURLErrors.contains(error.code) || error.tlsCode == ErrorValue.cutOffHandshake
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
