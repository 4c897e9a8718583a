import LoadingModel

/// Whether a failed attempt is repeated silently, without the app's knowledge.
package enum RetryDecision: Sendable, Hashable {
  case retry(RetryCause)
  case giveUp(Reason)

  /// Why the app gets the error.
  package enum Reason: Sendable, Hashable {
    /// The error doesn't have a cause for which requests are repeated silently (`RetryCause`).
    case notStaleConnection
    /// The limit of silent attempts for this cause is reached.
    case attemptsUsed
    /// The method isn't idempotent: a repetition could do harm.
    case methodNotIdempotent
    /// A part of the body may have been read from a stream, and can't be read again.
    case bodyNotReplayable
  }
}

/// Why a request is repeated silently. Each cause has a count and a limit of its own: a request that has been refused before may still find its
/// connection dead once.
package enum RetryCause: Sendable, Hashable {
  /// The server has refused the request without acting on it.
  case refusal
  /// The connection ended before the server looked at the request, after it had answered others on it (as by GOAWAY).
  case outrun
  /// The network that the connection used has disappeared, and its local address with it.
  case pathLoss
  /// A kept connection turned out to be closed: it had served before, and no byte of a response came. RFC 9112, 9.3.1: a connection can be closed
  /// at any time while idle, and the client can only find out by using it.
  case staleConnection
  /// A new connection broke to a server that had answered this session before: the server, or something on the way to it, is restarting.
  case interruption

  /// nil if the error isn't a reason to repeat the request silently.
  /// - Parameter hasAnswered: Whether the server has answered a request of this session before.
  package init?(_ error: LoadError, hasAnswered: Bool = false) {
    switch error.resendReason {
    case .refused, .needsHTTP1, .unanswered: self = .refusal
    case .outrun: self = .outrun
    case .pathLost: self = .pathLoss
    case .staleConnection: self = .staleConnection
    case .cutOff where hasAnswered: self = .interruption
    case .cutOff, .notConnected, nil: return nil
    }
  }

  var limit: Int {
    switch self {
    case .refusal: RetryRules.maximumRefusals
    case .outrun: RetryRules.maximumGoodbyes
    case .pathLoss: RetryRules.maximumPathLosses
    case .staleConnection: RetryRules.maximumStaleConnections
    case .interruption: RetryRules.maximumInterruptions
    }
  }
}

/// Decides about silent retries (RFC 9110, 9.2.2; RFC 9112, 9.3.1).
package enum RetryRules {
  /// How often one request may find its connection dead. The pool closes other idle connections to the same host with the first one, but shared
  /// ones with many streams stay: the next one may be dead as well.
  package static let maximumStaleConnections = 3

  /// How often one request may be repeated because a new connection broke.
  package static let maximumInterruptions = 2

  /// How often a request is repeated that the server has refused without acting on it: a busy server may refuse it more than once.
  package static let maximumRefusals = 5

  /// How often one request may see its connection end before its turn, after others on it were answered. Such requests stay first in the waiting
  /// line, so that a server that closes each connection after a few requests still answers all of them.
  package static let maximumGoodbyes = 100

  /// How often one request is repeated because its network has disappeared: a moving machine may lose more than one network.
  package static let maximumPathLosses = 5

  /// - Parameters:
  ///   - retries: The silent retries of this request so far, by cause; a redirect starts anew.
  ///   - bodyWasTouched: Whether anything has been read from the request's body stream; ignored for other bodies.
  ///   - hasAnswered: Whether the server has answered a request of this session before.
  package static func decide(
    after error: LoadError, request: LoadRequest, retries: [RetryCause: Int], bodyWasTouched: Bool = true, hasAnswered: Bool = false
  ) -> RetryDecision {
    guard error.kind != .cancelled, let cause = RetryCause(error, hasAnswered: hasAnswered) else { return .giveUp(.notStaleConnection) }
    let retriesSoFar = retries[cause, default: 0]
    guard retriesSoFar < cause.limit else { return .giveUp(.attemptsUsed) }
    switch cause {
    // RFC 9113, 8.7: "Requests that have not been processed have not failed; clients MAY automatically retry them, even those with
    // non-idempotent methods".
    case .refusal, .outrun: break
    // RFC 9110, 9.2.2: "A client SHOULD NOT automatically retry a request with a non-idempotent method unless it has some means to know
    // that the request semantics are actually idempotent".
    case .pathLoss: guard isIdempotent(request.method) else { return .giveUp(.methodNotIdempotent) }
    // RFC 9110, 9.2.2: "A client SHOULD NOT automatically retry a failed automatic retry". A second retry is made only for safe methods, for
    // which it does no harm.
    case .staleConnection:
      guard retriesSoFar == 0 ? isIdempotent(request.method) : isSafe(request.method) else { return .giveUp(.methodNotIdempotent) }
    // In the phase `.secure` the request hasn't been sent yet, so that any method may be repeated.
    case .interruption: guard error.phase == .secure || isSafe(request.method) else { return .giveUp(.methodNotIdempotent) }
    }
    return isReplayable(request.body, bodyWasTouched) ? .retry(cause) : .giveUp(.bodyNotReplayable)
  }

  /// Whether a request that was answered with 425 (Too Early) is sent once more.
  ///
  /// RFC 8470, 5.2: a client that has sent the request as early data is to send it again, and not as early data.
  package static func repeatsTooEarly(_ request: LoadRequest, sentEarlyData: Bool) -> Bool {
    guard case .none = request.body else { return false }
    return sentEarlyData && isSafe(request.method)
  }

  /// Whether a request that was answered with 421 (Misdirected Request) is repeated, on a connection of its own. A 421 on a new connection is
  /// final, unless that led to another place than the origin's own.
  ///
  /// RFC 9110, 15.5.20: "A client that receives a 421 (Misdirected Request) response MAY retry the request, whether or not the request
  /// method is idempotent, over a different connection".
  package static func repeatsMisdirected(
    _ request: LoadRequest, isReusedConnection: Bool, isElsewhere: Bool = false, bodyWasTouched: Bool = true
  ) -> Bool {
    (isReusedConnection || isElsewhere) && isReplayable(request.body, bodyWasTouched)
  }

  static func isReplayable(_ body: LoadRequest.Body, _ wasTouched: Bool) -> Bool {
    switch body {
    case .stream, .pieces: !wasTouched
    case .none, .data, .file, .suppliedStream, .parts: true
    }
  }

  /// RFC 9110, 9.2.2: "PUT, DELETE, and safe request methods are idempotent". Methods are case-sensitive (9.1).
  package static func isIdempotent(_ method: String) -> Bool {
    isSafe(method) || method == "PUT" || method == "DELETE"
  }

  /// RFC 9110, 9.2.1: "the GET, HEAD, OPTIONS, and TRACE methods are defined to be safe".
  package static func isSafe(_ method: String) -> Bool {
    switch method {
    case "GET", "HEAD", "OPTIONS", "TRACE": true
    default: false
    }
  }
}
