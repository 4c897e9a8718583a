import Foundation
import LoadingModel

/// Sends an access token with requests to given hosts, and has it renewed when a server refuses it. An addition to Apple's API.
///
///     configuration.interceptors = [
///       URLSessionTokenInterceptor(hosts: ["api.example.com"]) { expired in try await login.newToken(insteadOf: expired) }
///     ]
///
/// A request to one of the hosts, by https or wss, gets the field `Authorization`, unless it has one. After a 401 from that host the token is renewed
/// and the request sent once more; the second response is the task's, whatever its status. All loads that need a new token at the same time wait for
/// one renewal; if it fails, they all fail with its error, and the next load begins another one. Cancelling a load doesn't end the renewal. A
/// redirect to another origin is followed without the token.
///
/// Thread-safe. Sessions may share one.
public final class URLSessionTokenInterceptor: URLSessionInterceptor {
  private struct State {
    var token: String?
    var renewal: Task<String, any Error>?
    /// The number of renewals that have failed; `failure` is the last one's error.
    var failures = 0
    var failure: (any Error)?
  }

  private enum Way: Sendable {
    case known(String)
    case renewal(Task<String, any Error>)
    case failed(any Error)
  }

  private let hosts: Set<String>
  private let scheme: String
  private let allowsPlainHTTP: Bool
  private let renew: @Sendable (String?) async throws -> String
  private let state: Mutex<State>

  /// - Parameters:
  ///   - hosts: Names or addresses of the hosts that get the token, without port; no other host does. International names may be given in either
  ///     form.
  ///   - token: The first token; nil: the first load has one made by `renew`.
  ///   - scheme: The authentication scheme before the token in the field. Default: "Bearer" (RFC 6750).
  ///   - allowsPlainHTTP: Whether the token is also sent without TLS, where everyone on the network can read it. Default: false.
  ///   - renew: Makes a new token, given the one that a server has refused, or nil if there is none. It must load by another session, or from a host
  ///     that isn't in `hosts`: otherwise it would wait for itself. It should have a timeout.
  public init(
    hosts: Set<String>, token: String? = nil, scheme: String = "Bearer", allowsPlainHTTP: Bool = false,
    renew: @escaping @Sendable (_ expired: String?) async throws -> String
  ) {
    self.hosts = Set(hosts.map { Origin.asciiHost($0.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))) })
    (self.scheme, self.allowsPlainHTTP, self.renew) = (scheme, allowsPlainHTTP, renew)
    state = Mutex(State(token: token))
  }

  /// The token that is sent; nil if there is none: the next load has one made.
  public var token: String? {
    get { state.withLock { $0.token } }
    set { state.withLock { $0.token = newValue } }
  }

  /// Sends the request, with the token if its host is among `hosts`; after a 401, renews the token and sends it once more.
  public func intercept(
    _ request: URLRequest, _ next: URLSessionInterceptorChain
  ) async throws -> URLSessionInterceptedResponse {
    guard let origin = Target(request.url)?.origin, isFor(origin), !request.load.headers.contains("Authorization") else {
      return try await next(request)
    }
    let (known, failures) = state.withLock { ($0.token, $0.failures) }
    let token = if let known { known } else { try await token(insteadOf: nil, since: failures) }
    let response = try await next(authorized(request, token))
    // A 401 from another origin, after a redirect, says nothing about the token, which wasn't sent there.
    guard response.statusCode == 401, let answering = Target(response.response.url)?.origin, isSame(answering, origin) else {
      return response
    }
    return try await next(authorized(request, try await self.token(insteadOf: token, since: failures)))
  }

  /// Whether both are the same host and port. Schemes aren't compared: a WebSocket's request may have `wss` and its response `https`.
  private func isSame(_ one: Origin, _ other: Origin) -> Bool {
    (one.host, one.port, one.isSecure, one.isUnixSocket) == (other.host, other.port, other.isSecure, other.isUnixSocket)
  }

  private func isFor(_ origin: Origin) -> Bool {
    hosts.contains(origin.host) && (origin.isSecure || allowsPlainHTTP && ["http", "ws"].contains(origin.scheme))
  }

  private func authorized(_ request: URLRequest, _ token: String) -> URLRequest {
    var request = request
    request.setValue(scheme.isEmpty ? token : "\(scheme) \(token)", forHTTPHeaderField: "Authorization")
    return request
  }

  /// - Parameters:
  ///   - used: The token that a server has refused; nil if there was none.
  ///   - count: The number of failed renewals when the load began: if another one has failed since, the load fails with that error.
  private func token(insteadOf used: String?, since count: Int) async throws -> String {
    let way = state.withLock { state -> Way in
      if let token = state.token, token != used { return .known(token) }
      if let renewal = state.renewal { return .renewal(renewal) }
      if state.failures > count, let failure = state.failure { return .failed(failure) }
      let renewal = Task { try await self.renewed(used) }
      state.renewal = renewal
      return .renewal(renewal)
    }
    switch way {
    case .known(let token): return token
    case .failed(let error): throw error
    case .renewal(let renewal): return try await renewal.value
    }
  }

  private func renewed(_ used: String?) async throws -> String {
    do {
      let token = try await renew(used)
      state.withLock { ($0.token, $0.renewal) = (token, nil) }
      return token
    } catch {
      state.withLock { state in
        (state.renewal, state.failure) = (nil, error)
        state.failures += 1
      }
      throw error
    }
  }
}
