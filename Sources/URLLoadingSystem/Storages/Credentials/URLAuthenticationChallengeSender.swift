import Foundation

/// Receives the answer to a challenge that an app's own `URLProtocol` class made. A `URLSession` doesn't use it: it has completion handlers.
public protocol URLAuthenticationChallengeSender: NSObjectProtocol, Sendable {
  /// Continues the load with `credential`.
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)

  /// Continues the load without a credential.
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge)

  /// Cancels the load.
  func cancel(_ challenge: URLAuthenticationChallenge)

  /// Continues as if there were no delegate. Optional on Apple's platforms; the default implementation calls `continueWithoutCredential(for:)`.
  func performDefaultHandling(for challenge: URLAuthenticationChallenge)

  /// Tries the next protection space. Optional on Apple's platforms; the default implementation calls `continueWithoutCredential(for:)`.
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
}

extension URLAuthenticationChallengeSender {
  /// Calls `continueWithoutCredential(for:)`.
  public func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
    continueWithoutCredential(for: challenge)
  }

  /// Calls `continueWithoutCredential(for:)`.
  public func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
    continueWithoutCredential(for: challenge)
  }
}
