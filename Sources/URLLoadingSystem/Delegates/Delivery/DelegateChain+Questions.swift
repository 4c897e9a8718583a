import Foundation

// Delegate methods with an answer. `then` gets it on any thread, exactly once: a delegate that releases its completion handler uncalled counts as
// declining, and a second call of the handler is ignored.

extension DelegateChain {
  func willBeginDelayedRequest(
    _ session: URLSession, _ task: URLSessionTask, _ request: URLRequest,
    then: @escaping @Sendable ((URLSession.DelayedRequestDisposition, URLRequest?)) -> Void
  ) {
    decide(
      { $0.willBeginDelayedRequest(session, task, request, $1) }, standard: { (.continueLoading, nil) }, then: then)
  }

  /// Asks whether to follow a redirect; the answer is the request to continue with, or `nil` to deliver the redirect response itself.
  func willPerformHTTPRedirection(
    _ session: URLSession, _ task: URLSessionTask, _ response: HTTPURLResponse, newRequest: URLRequest,
    then: @escaping @Sendable (URLRequest?) -> Void
  ) {
    decide(
      { $0.willPerformHTTPRedirection(session, task, response, newRequest: newRequest, $1) }, standard: { newRequest }, then: then)
  }

  /// Whether a delegate may answer this challenge; false only if it is known that none does.
  func mayAnswer(_ challenge: URLAuthenticationChallenge) -> Bool {
    mayImplement(.didReceiveTaskChallenge)
      || Self.sessionLevelMethods.contains(challenge.protectionSpace.authenticationMethod) && mayImplement(.didReceiveSessionChallenge)
  }

  /// Offers the challenge to each delegate in turn. A connection-level one (server trust, client certificate, NTLM, Negotiate) is offered to its
  /// session-level method and then to its task-level method; all others, and all of a stream task, only to the task-level method.
  func didReceiveChallenge(
    _ session: URLSession, _ task: URLSessionTask, _ challenge: URLAuthenticationChallenge,
    then: @escaping @Sendable ((URLSession.AuthChallengeDisposition, URLCredential?)) -> Void
  ) {
    let isSessionLevel =
      Self.sessionLevelMethods.contains(challenge.protectionSpace.authenticationMethod) && !(task is URLSessionStreamTask)
    let challenge = Transferred(challenge)
    var offers: [Offer<(URLSession.AuthChallengeDisposition, URLCredential?)>] = []
    for link in links {
      if isSessionLevel {
        offers.append { link.didReceiveSessionChallenge(session, challenge.value, $0) }
      }
      offers.append { link.didReceiveTaskChallenge(session, task, challenge.value, $0) }
    }
    Self.decide(offers[...], standard: { (.performDefaultHandling, nil) }, then: then)
  }

  private static let sessionLevelMethods: Set<String> = [
    NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate, NSURLAuthenticationMethodNTLM,
    NSURLAuthenticationMethodNegotiate,
  ]

  func needNewBodyStream(_ session: URLSession, _ task: URLSessionTask, then: @escaping @Sendable (InputStream?) -> Void) {
    decide({ $0.needNewBodyStream(session, task, $1) }, standard: { nil }, then: then)
  }

  /// Asks for a resumed upload's body from `offset` on. The answer is `nil` if only the method without an offset is implemented: its streams begin at
  /// byte 0.
  func needNewBodyStream(
    _ session: URLSession, _ task: URLSessionTask, from offset: Int64, then: @escaping @Sendable (InputStream?) -> Void
  ) {
    decide({ $0.needNewBodyStream(session, task, from: offset, $1) }, standard: { nil }, then: then)
  }

  func didReceiveResponse(
    _ session: URLSession, _ dataTask: URLSessionDataTask, _ response: URLResponse,
    then: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    decide({ $0.didReceiveResponse(session, dataTask, response, $1) }, standard: { .allow }, then: then)
  }

  /// Asks before a response is cached; the answer is the response to store, or `nil` to store nothing.
  func willCacheResponse(
    _ session: URLSession, _ dataTask: URLSessionDataTask, _ proposed: CachedURLResponse,
    then: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    decide({ $0.willCacheResponse(session, dataTask, proposed, $1) }, standard: { proposed }, then: then)
  }
}
