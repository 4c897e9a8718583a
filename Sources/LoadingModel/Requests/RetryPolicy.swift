/// When a request is repeated after a failure that may be temporary, and after which pause. Without a policy nothing is repeated.
package struct RetryPolicy: Sendable, Hashable {
  /// The most attempts in all, including the first.
  package var attempts = 3
  /// The upper bound of the first pause in seconds. It doubles with each attempt.
  package var firstDelay = 0.5
  /// The longest single pause in seconds. If a server asks for a longer one, the request isn't repeated.
  package var longestDelay = 30.0
  /// The most seconds that all pauses of a load may take together.
  package var totalDelay = 120.0
  /// The status codes after which a request is repeated.
  package var statuses = RetryPolicy.passingStatuses
  /// The network errors after which a request is repeated, as codes of `URLError`.
  package var errors = RetryPolicy.passingErrors
  /// Whether requests with a method that isn't idempotent are repeated, too.
  package var repeatsUnsafe = false
  /// The share of repetitions: how many are allowed for each load begun in the last minute.
  package var budget = 0.2
  /// The number of repetitions that are allowed each minute, however few loads there are.
  package var reserve = 10

  package static let passingStatuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

  /// Errors of the network that are often temporary: timedOut, cannotFindHost, cannotConnectToHost, networkConnectionLost, dnsLookupFailed.
  package static let passingErrors: Set<Int> = [-1001, -1003, -1004, -1005, -1006]

  package init() {}
}
