import LoadingModel

/// Whether a failed attempt is repeated without the app noticing.
package enum RetryDecision: Sendable, Hashable {
  case retry
  case giveUp(Reason)

  /// Why the error goes to the app.
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

/// Silent retries (RFC 9110, 9.2.2; RFC 9112, 9.3.1).
package enum RetryRules {
  /// How often one request is repeated silently. The repetition must use a fresh connection: other idle ones are probably just as dead.
  package static let maximumRetries = 1

  /// - Parameters:
  ///   - retriesSoFar: Silent retries of this request, this hop alone.
  ///   - bodyWasTouched: Whether anything has been read from the request's stream; of no interest for other bodies.
  package static func decide(
    after error: LoadError, request: LoadRequest, retriesSoFar: Int, bodyWasTouched: Bool = true
  ) -> RetryDecision {
    // RFC 9112, 9.3.1: a connection can be closed at any time while idle, and the client can only find out by using it. The flag says that
    // this happened: the connection had served before and no byte of a response came.
    guard error.isStaleConnection, error.kind != .cancelled else { return .giveUp(.notStaleConnection) }
    guard retriesSoFar < maximumRetries else { return .giveUp(.attemptsUsed) }
    // RFC 9110, 9.2.2: "A client SHOULD NOT automatically retry a request with a non-idempotent method unless it has some means to know
    // that the request semantics are actually idempotent".
    guard isIdempotent(request.method) else { return .giveUp(.methodNotIdempotent) }
    if case .stream = request.body, bodyWasTouched { return .giveUp(.bodyNotReplayable) }
    return .retry
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
