public import Foundation
import LoadingModel

/// When a load is repeated automatically after a temporary failure, and after how long. An addition to Apple's API.
///
///     configuration.retryPolicy = URLSessionRetryPolicy()      // for all loads of its sessions
///     request.retryPolicy = URLSessionRetryPolicy(maximumAttempts: 5)  // for one
///
/// Only idempotent requests are repeated: GET, HEAD, OPTIONS, TRACE, PUT and DELETE, and those with the field `Idempotency-Key`; and only if their
/// body can be produced again. Waits are drawn at random between 0 and a bound that doubles with each attempt ("full jitter"); a server's
/// `Retry-After` makes them longer. Metrics have a transaction for each attempt. The load's timeouts continue: `timeoutIntervalForResource` includes
/// the waits.
public struct URLSessionRetryPolicy: Sendable, Hashable {
  var policy = LoadingModel.RetryPolicy()

  /// A policy with the given limits; the other properties have their defaults.
  /// - Parameters:
  ///   - maximumAttempts: Attempts in all, the first among them. Default: 3.
  ///   - firstDelay: The upper bound of the first wait, in seconds. Default: 0.5.
  ///   - maximumDelay: The longest single wait, in seconds. Default: 30.
  public init(maximumAttempts: Int = 3, firstDelay: TimeInterval = 0.5, maximumDelay: TimeInterval = 30) {
    self.maximumAttempts = maximumAttempts
    self.firstDelay = firstDelay
    self.maximumDelay = maximumDelay
  }

  /// Attempts in all, the first one included; with 1 or less, none is repeated. Default: 3.
  public var maximumAttempts: Int {
    get { policy.attempts }
    set { policy.attempts = max(1, newValue) }
  }

  /// The upper bound of the first wait, in seconds. It doubles with each attempt. Default: 0.5.
  public var firstDelay: TimeInterval {
    get { policy.firstDelay }
    set { policy.firstDelay = URLSessionRetryPolicy.seconds(newValue) }
  }

  /// The longest single wait, in seconds. If a server asks for a longer one (`Retry-After`), the load ends with that response. Default: 30.
  public var maximumDelay: TimeInterval {
    get { policy.longestDelay }
    set { policy.longestDelay = URLSessionRetryPolicy.seconds(newValue) }
  }

  /// The longest time that all waits of one load may take together, in seconds. Default: 120.
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

  /// Whether requests that aren't idempotent, such as POST, are repeated as well. Default: false.
  public var retriesUnsafeMethods: Bool {
    get { policy.repeatsUnsafe }
    set { policy.repeatsUnsafe = newValue }
  }

  /// The largest share of a session's loads of the last minute that may be repetitions, so that a failing server isn't overloaded by them. 0 to 1.
  /// Default: 0.2. Ten repetitions a minute are always allowed.
  public var budget: Double {
    get { policy.budget }
    set { policy.budget = newValue.isNaN ? 0.2 : min(max(newValue, 0), 1) }
  }

  private static func seconds(_ given: TimeInterval) -> Double { given.isNaN ? 0 : min(max(given, 0), 604_800) }
}

extension URLSessionConfiguration {
  /// When the session's loads are repeated automatically. An addition to Apple's API. Default: nil, never.
  ///
  /// Background sessions repeat transfers by rules of their own, and ignore it.
  public var retryPolicy: URLSessionRetryPolicy? {
    get { values.withLock { $0.retryPolicy } }
    set { values.change { $0.retryPolicy = newValue } }
  }
}

extension URLRequest {
  /// When this request is repeated automatically, overriding its session's policy. An addition to Apple's API. Default: nil, the session's policy.
  ///
  /// It isn't encoded with the request, and doesn't count for equality.
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
