import LoadingModel
import ProtocolRules

/// The values of `Proxy-Authorization` that are sent with one attempt. A load may open several tunnels: FTP has connections for its data.
///
/// Owned by the load's `RouteAttempt`, and by the handler while it waits for the response; confined to the event loop.
final class AttemptAuthorizations {
  /// The attempt, with its Digest nonce as far as that has been used.
  private(set) var attempt: AuthenticationAttempt
  private var isFirst = true

  init(_ attempt: AuthenticationAttempt) { self.attempt = attempt }

  /// The value for the next request, or for the CONNECT of a tunnel to `tunnel`. The attempt's own is for the first; Digest signs each further CONNECT,
  /// because its response covers the target and a count.
  func next(_ tunnel: Origin?) -> String? {
    defer { isFirst = false }
    guard !isFirst, let tunnel, case .digest(var digest) = attempt.proof, let login = attempt.credential?.login else {
      return attempt.authorization
    }
    let value = digest.authorization(AuthorizedRequest(tunnelTo: tunnel), user: login.user, password: login.password)
    attempt.proof = .digest(digest)
    return value
  }
}
