import Foundation
import LoadingModel

/// Sends a login token with requests to the hosts it is for, and has it renewed where a server doesn't take it any more. An addition to
/// Apple's API.
///
///     configuration.interceptors = [
///       URLSessionTokenInterceptor(hosts: ["api.example.com"]) { expired in try await login.newToken(insteadOf: expired) }
///     ]
///
/// A request to one of the hosts, by https or wss, gets the field `Authorization`, unless it has one. After a 401 from that host the token is
/// renewed and the request sent once more; the second answer is the task's, whatever its status. However many loads need a new token at
/// once, there is one renewal, which all of them wait for; if it fails, they all fail with its error, and the next load begins another one.
/// A load that is cancelled doesn't end it. A redirect to another origin goes on without the token.
///
/// Thread-safe. Sessions may share one.
public final class URLSessionTokenInterceptor: URLSessionInterceptor {
  private struct State {
    var token: String?
    var renewal: Task<String, any Error>?
    /// How many renewals have failed, and the last one's error.
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
  ///   - hosts: Names or addresses of the hosts that get the token, without port; no other host does.
  ///   - token: The token to begin with; nil: the first load has it made by `renew`.
  ///   - scheme: What precedes the token in the field. Default: "Bearer" (RFC 6750).
  ///   - allowsPlainHTTP: Whether the token is sent without TLS as well, where all on the way can read it. Default: false.
  ///   - renew: Makes a new token in place of the one it is given, which a server has refused or which is nil. Its own load must take another
  ///     session, or a host that isn't among `hosts`: here it would wait for itself. It should have a timeout.
  public init(
    hosts: Set<String>, token: String? = nil, scheme: String = "Bearer", allowsPlainHTTP: Bool = false,
    renew: @escaping @Sendable (_ expired: String?) async throws -> String
  ) {
    self.hosts = Set(hosts.map { $0.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]")) })
    (self.scheme, self.allowsPlainHTTP, self.renew) = (scheme, allowsPlainHTTP, renew)
    state = Mutex(State(token: token))
  }

  /// The token that is sent; nil where there is none yet, or not any more: the next load has one made.
  public var token: String? {
    get { state.withLock { $0.token } }
    set { state.withLock { $0.token = newValue } }
  }

  /// Sends the request with the token, where its host gets it.
  public func intercept(
    _ request: URLRequest, _ next: URLSessionInterceptorChain
  ) async throws -> URLSessionInterceptedResponse {
    guard let origin = Target(request.url)?.origin, isFor(origin), !request.load.headers.contains("Authorization") else {
      return try await next(request)
    }
    let (known, failures) = state.withLock { ($0.token, $0.failures) }
    let token = if let known { known } else { try await token(insteadOf: nil, since: failures) }
    let response = try await next(authorized(request, token))
    // One from another origin has seen no token.
    guard response.statusCode == 401, let answering = Target(response.response.url)?.origin, isSame(answering, origin) else {
      return response
    }
    return try await next(authorized(request, try await self.token(insteadOf: token, since: failures)))
  }

  /// A WebSocket's request has the scheme of HTTP or its own, and its response perhaps the other.
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
  ///   - count: Renewals that had failed when the load began. One that has failed since would have been waited for.
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
