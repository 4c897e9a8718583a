/// When a request is sent again after a failure that may pass, and after how long. Off where there is none.
package struct RetryPolicy: Sendable, Hashable {
  /// Attempts in all, the first among them.
  package var attempts = 3
  /// Seconds: the upper bound of the first wait. It doubles with each attempt.
  package var firstDelay = 0.5
  /// Seconds that one wait may take. A server that asks for a longer one isn't asked again.
  package var longestDelay = 30.0
  /// Seconds that all waits of a load may take.
  package var totalDelay = 120.0
  /// Statuses that pass.
  package var statuses = RetryPolicy.passingStatuses
  /// Errors of the network that pass, as codes of URLError.
  package var errors = RetryPolicy.passingErrors
  /// Whether requests are repeated that may change something each time.
  package var repeatsUnsafe = false
  /// Repetitions of the last minute, as a part of the loads that were begun in it.
  package var budget = 0.2
  /// Repetitions that a minute may have however few loads there are.
  package var reserve = 10

  package static let passingStatuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

  /// timedOut, cannotFindHost, cannotConnectToHost, networkConnectionLost, dnsLookupFailed.
  package static let passingErrors: Set<Int> = [-1001, -1003, -1004, -1005, -1006]

  package init() {}
}
