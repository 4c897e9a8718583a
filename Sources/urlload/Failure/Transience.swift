import LoadingModel
import ProtocolRules

/// Whether a failure may be over by itself.
enum Transience: Sendable, Equatable {
  case lasting
  /// Another attempt may succeed; after so many seconds if the server has said so (Retry-After).
  case passing(retryAfter: Double? = nil)
}

extension Transience {
  /// Failures pass as for a `retryPolicy`, and so does the lack of a network, because the tool's loads don't wait for connectivity.
  private static let policy: RetryPolicy = {
    var policy = RetryPolicy()
    policy.errors.insert(LoadError.Kind.notConnectedToInternet.rawValue)
    return policy
  }()

  static func isPassing(status: Int) -> Bool { RetryPolicyRules.isPassing(status: status, policy) }

  /// - Parameter code: Raw value of `URLError.Code`.
  static func isPassing(code: Int) -> Bool { RetryPolicyRules.isPassing(code: code, policy) }
}
