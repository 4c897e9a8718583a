import Foundation

/// Takes the answer to a challenge that an app's own `URLProtocol` class raised. A `URLSession` doesn't use it.
public protocol URLAuthenticationChallengeSender: NSObjectProtocol, Sendable {
  /// Continue with `credential`.
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)

  /// Continue without a credential.
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge)

  /// Give up the load.
  func cancel(_ challenge: URLAuthenticationChallenge)

  /// Do what happens without a delegate. Optional on Apple's platforms; by default as `continueWithoutCredential(for:)`.
  func performDefaultHandling(for challenge: URLAuthenticationChallenge)

  /// Try the next protection space. Optional on Apple's platforms; by default as `continueWithoutCredential(for:)`.
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
}

extension URLAuthenticationChallengeSender {
  /// As `continueWithoutCredential(for:)`.
  public func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
    continueWithoutCredential(for: challenge)
  }

  /// As `continueWithoutCredential(for:)`.
  public func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
    continueWithoutCredential(for: challenge)
  }
}
