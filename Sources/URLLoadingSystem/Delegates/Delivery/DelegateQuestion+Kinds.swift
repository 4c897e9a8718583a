import Foundation

// The eight methods with an answer, each with its standard answer (Apple's, for an absent method) and its declining one (for a handler that was never
// called).

extension DelegateQuestion where Value == (URLSession.AuthChallengeDisposition, URLCredential?) {
  static func sessionChallenge(to delegate: any URLSessionDelegate) -> Self {
    challenge(.didReceiveSessionChallenge, to: delegate)
  }

  static func taskChallenge(to delegate: any URLSessionDelegate) -> Self {
    challenge(.didReceiveTaskChallenge, to: delegate)
  }

  private static func challenge(_ method: DelegateMethod, to delegate: any URLSessionDelegate) -> Self {
    Self(
      method, to: delegate, standard: { (.performDefaultHandling, nil) }, declined: { (.cancelAuthenticationChallenge, nil) })
  }
}

extension DelegateQuestion where Value == (URLSession.DelayedRequestDisposition, URLRequest?) {
  static func delayedRequest(to delegate: any URLSessionDelegate) -> Self {
    Self(.willBeginDelayedRequest, to: delegate, standard: { (.continueLoading, nil) }, declined: { (.cancel, nil) })
  }
}

extension DelegateQuestion where Value == URLRequest? {
  static func redirection(to delegate: any URLSessionDelegate, proposed: URLRequest) -> Self {
    Self(.willPerformHTTPRedirection, to: delegate, standard: { proposed }, declined: { nil })
  }
}

extension DelegateQuestion where Value == InputStream? {
  static func bodyStream(to delegate: any URLSessionDelegate) -> Self {
    Self(.needNewBodyStream, to: delegate, standard: { nil }, declined: { nil })
  }

  static func bodyStreamFromOffset(to delegate: any URLSessionDelegate) -> Self {
    Self(.needNewBodyStreamFromOffset, to: delegate, standard: { nil }, declined: { nil })
  }
}

extension DelegateQuestion where Value == URLSession.ResponseDisposition {
  static func response(to delegate: any URLSessionDelegate) -> Self {
    Self(.didReceiveResponse, to: delegate, standard: { .allow }, declined: { .cancel })
  }
}

extension DelegateQuestion where Value == CachedURLResponse? {
  static func cacheStorage(to delegate: any URLSessionDelegate, proposed: CachedURLResponse) -> Self {
    Self(.willCacheResponse, to: delegate, standard: { proposed }, declined: { nil })
  }
}
