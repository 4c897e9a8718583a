import LoadingModel

/// Whether a failed attempt is repeated without the app noticing.
package enum RetryDecision: Sendable, Hashable {
  case retry(RetryCause)
  case giveUp(Reason)

  /// Why the app gets the error.
  package enum Reason: Sendable, Hashable {
    /// The failure isn't that of a kept connection which the server had closed meanwhile.
    case notStaleConnection
    /// The silent attempts are used up.
    case attemptsUsed
    /// Doing it twice could do harm.
    case methodNotIdempotent
    /// Part of a stream may have been read and can't be read again.
    case bodyNotReplayable
  }
}

/// What a request is repeated silently for. Each cause has a count and a limit of its own: a request that has been refused before may still
/// find its connection dead once.
package enum RetryCause: Sendable, Hashable {
  /// The server hasn't acted on the request.
  case refusal
  /// Nor had it looked at it, but it had answered others on the connection.
  case outrun
  /// The network that the connection used has disappeared.
  case pathLoss
  /// RFC 9112, 9.3.1: a connection can be closed at any time while idle, and the client can only find out by using it: it had served before
  /// and no byte of a response came.
  case staleConnection
  /// A connection that was new broke, to a server that had answered before: it is being restarted, or something on the way to it is.
  case interruption

  /// nil if the error is to be told.
  /// - Parameter hasAnswered: Whether the server has answered this session before.
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

/// Silent retries (RFC 9110, 9.2.2; RFC 9112, 9.3.1).
package enum RetryRules {
  /// How often one request may find its connection dead. Idle ones to the same place are given up with the first, but connections with many
  /// streams are shared: the next one may be reused, and dead, as well.
  package static let maximumStaleConnections = 3

  /// How often one request may break off with a new connection.
  package static let maximumInterruptions = 2

  /// How often a request that the server hasn't acted on is sent again: a busy server may refuse it more than once.
  package static let maximumRefusals = 5

  /// How often a request may see its connection end before its turn, where each time others were answered. Such requests keep the first
  /// place in line, so that a server that closes its connections after every few requests gets to each of them.
  package static let maximumGoodbyes = 100

  /// How often a request whose network has disappeared is sent over another one: a machine on its way may lose more than one.
  package static let maximumPathLosses = 5

  /// - Parameters:
  ///   - retries: Silent retries of this request so far, by cause, this hop alone.
  ///   - bodyWasTouched: Whether anything has been read from the request's stream; of no interest for other bodies.
  ///   - hasAnswered: Whether the server has answered this session before.
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
    // The same: "A client SHOULD NOT automatically retry a failed automatic retry". Where it did nothing but read, it does no harm.
    case .staleConnection:
      guard retriesSoFar == 0 ? isIdempotent(request.method) : isSafe(request.method) else { return .giveUp(.methodNotIdempotent) }
    // Nothing is sent before the handshake is over.
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

  /// Whether a request that the server calls misdirected is sent once more, on a connection of its own. An answer over a connection that
  /// was fresh is final, unless it led to a place that isn't the origin's own.
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
