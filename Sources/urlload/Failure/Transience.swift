import LoadingModel
import ProtocolRules

/// Whether a failure may be over by itself.
enum Transience: Sendable, Equatable {
  case lasting
  /// Asking again may help; the server may say after how many seconds.
  case passing(retryAfter: Double? = nil)
}

extension Transience {
  /// What passes is what passes for a `retryPolicy`, and that there is no network: no load of the tool waits for one.
  private static let policy: RetryPolicy = {
    var policy = RetryPolicy()
    policy.errors.insert(LoadError.Kind.notConnectedToInternet.rawValue)
    return policy
  }()

  static func isPassing(status: Int) -> Bool { RetryPolicyRules.isPassing(status: status, policy) }

  /// - Parameter code: URLError's.
  static func isPassing(code: Int) -> Bool { RetryPolicyRules.isPassing(code: code, policy) }
}
