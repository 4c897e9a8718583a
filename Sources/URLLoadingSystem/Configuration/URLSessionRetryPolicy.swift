public import Foundation
import LoadingModel

/// When a load is tried again by itself after a failure that may pass, and after how long. An addition to Apple's API.
///
///     configuration.retryPolicy = URLSessionRetryPolicy()      // for all loads of its sessions
///     request.retryPolicy = URLSessionRetryPolicy(maximumAttempts: 5)  // for one
///
/// Only requests that do no harm twice are repeated: GET, HEAD, OPTIONS, TRACE, PUT and DELETE, and those with the field `Idempotency-Key`; and
/// only while their body can be produced again. Waits are drawn at random between 0 and a bound that doubles with each attempt ("full
/// jitter"); a server's `Retry-After` makes them longer. Metrics have a transaction for each attempt. The load's timeouts go on: that of the
/// resource counts the waits as well.
public struct URLSessionRetryPolicy: Sendable, Hashable {
  var policy = LoadingModel.RetryPolicy()

  /// - Parameters:
  ///   - maximumAttempts: Attempts in all, the first among them. Default: 3.
  ///   - firstDelay: Seconds: the upper bound of the first wait. Default: 0.5.
  ///   - maximumDelay: Seconds that one wait may take. Default: 30.
  public init(maximumAttempts: Int = 3, firstDelay: TimeInterval = 0.5, maximumDelay: TimeInterval = 30) {
    self.maximumAttempts = maximumAttempts
    self.firstDelay = firstDelay
    self.maximumDelay = maximumDelay
  }

  /// Attempts in all, the first among them; 1 and less: none is repeated. Default: 3.
  public var maximumAttempts: Int {
    get { policy.attempts }
    set { policy.attempts = max(1, newValue) }
  }

  /// Seconds: the upper bound of the first wait. It doubles with each attempt. Default: 0.5.
  public var firstDelay: TimeInterval {
    get { policy.firstDelay }
    set { policy.firstDelay = URLSessionRetryPolicy.seconds(newValue) }
  }

  /// Seconds that one wait may take. Where a server asks for a longer one (`Retry-After`), the load ends with its response. Default: 30.
  public var maximumDelay: TimeInterval {
    get { policy.longestDelay }
    set { policy.longestDelay = URLSessionRetryPolicy.seconds(newValue) }
  }

  /// Seconds that all waits of one load may take. Default: 120.
  public var maximumTotalDelay: TimeInterval {
    get { policy.totalDelay }
    set { policy.totalDelay = URLSessionRetryPolicy.seconds(newValue) }
  }

  /// Statuses after which the request is sent again. Default: 408, 425, 429, 500, 502, 503 and 504.
  public var statusCodes: Set<Int> {
    get { policy.statuses }
    set { policy.statuses = newValue }
  }

  /// Errors after which the request is sent again. Default: `timedOut` (of the connection; the load's own timeouts are final),
  /// `cannotFindHost`, `cannotConnectToHost`, `networkConnectionLost` and `dnsLookupFailed`. `cancelled` never counts.
  public var errorCodes: Set<URLError.Code> {
    get { Set(policy.errors.compactMap { URLError.Code(rawValue: $0) }) }
    set { policy.errors = Set(newValue.map(\.rawValue)).subtracting([URLError.Code.cancelled.rawValue]) }
  }

  /// Whether requests are repeated as well that may change something each time, such as POST. Default: false.
  public var retriesUnsafeMethods: Bool {
    get { policy.repeatsUnsafe }
    set { policy.repeatsUnsafe = newValue }
  }

  /// How many of a session's loads of the last minute may be repetitions, as a part of those that were begun in it: a server that fails
  /// isn't buried under repetitions. 0 to 1. Default: 0.2. Ten a minute are always allowed.
  public var budget: Double {
    get { policy.budget }
    set { policy.budget = newValue.isNaN ? 0.2 : min(max(newValue, 0), 1) }
  }

  private static func seconds(_ given: TimeInterval) -> Double { given.isNaN ? 0 : min(max(given, 0), 604_800) }
}

extension URLSessionConfiguration {
  /// When loads are tried again by themselves. An addition to Apple's API. Default: nil, they aren't.
  ///
  /// Background sessions have rules of their own, and ignore it.
  public var retryPolicy: URLSessionRetryPolicy? {
    get { values.withLock { $0.retryPolicy } }
    set { values.withLock { $0.retryPolicy = newValue } }
  }
}

extension URLRequest {
  /// When this request is sent again by itself, in place of its session's policy. An addition to Apple's API. Default: nil, the session's.
  ///
  /// It isn't a part of the request's archive, and of no account for equality.
  public var retryPolicy: URLSessionRetryPolicy? {
    get { load.retryPolicy.map { URLSessionRetryPolicy($0) } }
    set { load.mutate { $0.retryPolicy = newValue?.policy } }
  }
}

extension URLSessionRetryPolicy {
  fileprivate init(_ policy: LoadingModel.RetryPolicy) {
    self.init()
    self.policy = policy
  }
}
