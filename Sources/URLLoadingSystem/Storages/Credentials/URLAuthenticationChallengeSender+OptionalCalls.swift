// On Apple's platforms two requirements are optional, and callers write `sender.performDefaultHandling?(for: challenge)`. Swift has no
// optional requirements without Objective-C; a property of the same base name, found only by that spelling, makes such calls compile.

extension URLAuthenticationChallenge {
  /// The type of `sender.performDefaultHandling` and `sender.rejectProtectionSpaceAndContinue`, which can be called like optional methods.
  public struct OptionalAnswer {
    fileprivate let answer: (URLAuthenticationChallenge) -> Void

    /// Calls `performDefaultHandling(for:)`.
    public func callAsFunction(for challenge: URLAuthenticationChallenge) { answer(challenge) }

    /// Calls `rejectProtectionSpaceAndContinue(with:)`.
    public func callAsFunction(with challenge: URLAuthenticationChallenge) { answer(challenge) }
  }
}

extension URLAuthenticationChallengeSender {
  /// Makes `sender.performDefaultHandling?(for:)` compile, the spelling of an optional requirement; never nil.
  public var performDefaultHandling: URLAuthenticationChallenge.OptionalAnswer? {
    URLAuthenticationChallenge.OptionalAnswer { self.performDefaultHandling(for: $0) }
  }

  /// Makes `sender.rejectProtectionSpaceAndContinue?(with:)` compile, the spelling of an optional requirement; never nil.
  public var rejectProtectionSpaceAndContinue: URLAuthenticationChallenge.OptionalAnswer? {
    URLAuthenticationChallenge.OptionalAnswer { self.rejectProtectionSpaceAndContinue(with: $0) }
  }
}
