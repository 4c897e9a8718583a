import Foundation

/// Receives the answer to a challenge of an `NSURLConnection`, on any thread. The first answer counts; a challenge released without one is refused.
final class ConnectionChallengeSender: NSObject, URLAuthenticationChallengeSender {
  private let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  /// - Parameter answer: The completion handler of a delegate's method: a second call of it has no effect.
  init(_ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void) {
    self.answer = answer
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { answer(.useCredential, credential) }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { answer(.useCredential, nil) }

  func cancel(_ challenge: URLAuthenticationChallenge) { answer(.cancelAuthenticationChallenge, nil) }

  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { answer(.performDefaultHandling, nil) }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { answer(.rejectProtectionSpace, nil) }
}
