import Foundation

/// A question to the app: for a credential, or whether to trust a server. Immutable.
open class URLAuthenticationChallenge: NSObject, NSSecureCoding, @unchecked Sendable {
  // @unchecked: everything stored is immutable; subclasses answer for what they add.

  private let space: URLProtectionSpace
  private let proposal: URLCredential?
  private let failures: Int
  private let response: URLResponse?
  private let storedError: (any Error)?
  private let storedSender: (any URLAuthenticationChallengeSender)?

  init(
    space: URLProtectionSpace, proposal: URLCredential?, failures: Int, response: URLResponse?, error: (any Error)? = nil
  ) {
    self.space = space
    self.proposal = proposal
    self.failures = failures
    self.response = response
    storedError = error
    storedSender = nil
    super.init()
  }

  /// A challenge about `URLProtectionSpace()`, without a sender. A placeholder, for tests and for subclasses.
  public override init() {
    space = URLProtectionSpace()
    proposal = nil
    failures = 0
    response = nil
    storedError = nil
    storedSender = nil
    super.init()
  }

  /// A challenge.
  ///
  /// - Parameters:
  ///   - space: Server or proxy, realm and method for which the credential is asked.
  ///   - credential: The credential to use if there is no better one.
  ///   - previousFailureCount: How many attempts of this request have failed.
  ///   - response: The response that asked, such as a 401; nil if no response did.
  ///   - error: What went wrong with the last attempt.
  ///   - sender: The object that takes the answer.
  public init(
    protectionSpace space: URLProtectionSpace, proposedCredential credential: URLCredential?, previousFailureCount: Int,
    failureResponse response: URLResponse?, error: (any Error)?, sender: any URLAuthenticationChallengeSender
  ) {
    self.space = space
    proposal = credential
    failures = previousFailureCount
    self.response = response
    storedError = error
    storedSender = sender
    super.init()
  }

  /// The same challenge with another sender: what a `URLProtocol` that forwards a challenge makes of it.
  public init(authenticationChallenge challenge: URLAuthenticationChallenge, sender: any URLAuthenticationChallengeSender) {
    space = challenge.protectionSpace
    proposal = challenge.proposedCredential
    failures = challenge.previousFailureCount
    response = challenge.failureResponse
    storedError = challenge.error
    storedSender = sender
    super.init()
  }

  /// Decodes a challenge, without its sender; nil if the archive doesn't hold one.
  public required init?(coder: NSCoder) {
    guard coder.allowsKeyedCoding,
      let space = coder.nested(URLProtectionSpace.self, ArchiveKey.space),
      let failures = try? coder.object(NSNumber.self, ArchiveKey.failures)
    else { return nil }
    self.space = space
    self.failures = failures.intValue
    proposal = coder.nested(URLCredential.self, ArchiveKey.proposal)
    response = coder.nestedResponse(ArchiveKey.response)
    storedError = nil
    storedSender = nil
    super.init()
  }

  /// The server or proxy, realm and method for which a credential is asked.
  open var protectionSpace: URLProtectionSpace { space }

  /// A credential to try, for example from the URL or the credential storage. If `previousFailureCount` isn't 0, it has been refused already.
  open var proposedCredential: URLCredential? { proposal }

  /// How many attempts of this request have failed, over all protection spaces.
  open var previousFailureCount: Int { failures }

  /// The response that asked, such as a 401; nil for questions of TLS.
  open var failureResponse: URLResponse? { response }

  /// The error of the last attempt, if it is known; usually nil.
  open var error: (any Error)? { storedError }

  /// The object that takes the answer; nil from a `URLSession`, which takes it through its completion handler.
  open var sender: (any URLAuthenticationChallengeSender)? { storedSender }

  /// True: the class can be encoded in a secure archive.
  open class var supportsSecureCoding: Bool { true }

  /// Encodes space, proposed credential, failure count and response. Error and sender aren't encoded: they are of use only while the load waits.
  open func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(space, forKey: ArchiveKey.space)
    coder.encode(proposal, forKey: ArchiveKey.proposal)
    coder.encode(NSNumber(value: failures), forKey: ArchiveKey.failures)
    coder.encode(response, forKey: ArchiveKey.response)
  }

  private enum ArchiveKey {
    static let space = "NS._protectionSpace"
    static let proposal = "NS._proposedCredential"
    static let failures = "NS._previousFailureCount"
    static let response = "NS._failureResponse"
  }
}
