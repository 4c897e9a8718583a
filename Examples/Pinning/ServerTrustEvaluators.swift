import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(Security)
  import Security
#endif

/// One way to evaluate a server; an app chooses one for each host.
public protocol ServerTrustEvaluator: Sendable {
  func evaluate(_ trust: SecTrust, forHost host: String) throws
}

/// Why a server wasn't trusted.
public enum ServerTrustFailure: Error {
  case policyNotApplied(status: OSStatus)
  case anchorsNotSet(status: OSStatus)
  case notTrusted((any Error)?)
  case noPinnedKey(host: String)
  case noEvaluator(host: String)
}

/// The system's own evaluation, with the host name checked.
public struct DefaultEvaluator: ServerTrustEvaluator {
  public init() {}

  public func evaluate(_ trust: SecTrust, forHost host: String) throws {
    try trust.apply(SecPolicyCreateSSL(true, host as CFString))
    try trust.check()
  }
}

/// An authority of the app's own, and no other.
public struct AnchorEvaluator: ServerTrustEvaluator, @unchecked Sendable {
  // @unchecked: certificates are immutable.
  private let anchors: [SecCertificate]

  public init(anchors: [SecCertificate]) { self.anchors = anchors }

  public func evaluate(_ trust: SecTrust, forHost host: String) throws {
    try trust.apply(SecPolicyCreateSSL(true, host as CFString))
    var status = SecTrustSetAnchorCertificates(trust, anchors as CFArray)
    guard status == errSecSuccess else { throw ServerTrustFailure.anchorsNotSet(status: status) }
    status = SecTrustSetAnchorCertificatesOnly(trust, true)
    guard status == errSecSuccess else { throw ServerTrustFailure.anchorsNotSet(status: status) }
    try trust.check()
  }
}

/// One of the app's public keys must be in the chain, which must be trusted besides.
public struct PublicKeyEvaluator: ServerTrustEvaluator, @unchecked Sendable {
  // @unchecked: keys are immutable.
  private let keys: [SecKey]

  public init(keys: [SecKey]) { self.keys = keys }

  public func evaluate(_ trust: SecTrust, forHost host: String) throws {
    try DefaultEvaluator().evaluate(trust, forHost: host)
    for key in trust.certificates.compactMap({ SecCertificateCopyKey($0) }) {
      for pinned in keys where pinned as AnyHashable == key as AnyHashable { return }
    }
    throw ServerTrustFailure.noPinnedKey(host: host)
  }
}

/// Chooses the evaluator by host and answers server-trust challenges with it.
public final class EvaluatingDelegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
  // @unchecked: immutable.
  private let evaluators: [String: any ServerTrustEvaluator]

  public init(evaluators: [String: any ServerTrustEvaluator]) { self.evaluators = evaluators }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let host = challenge.protectionSpace.host
    guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
      let trust = challenge.protectionSpace.serverTrust
    else { return completionHandler(.performDefaultHandling, nil) }
    do {
      guard let evaluator = evaluators[host] else { throw ServerTrustFailure.noEvaluator(host: host) }
      try evaluator.evaluate(trust, forHost: host)
      completionHandler(.useCredential, URLCredential(trust: trust))
    } catch {
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  }
}

extension SecTrust {
  fileprivate var certificates: [SecCertificate] { (SecTrustCopyCertificateChain(self) as? [SecCertificate]) ?? [] }

  fileprivate func apply(_ policy: SecPolicy) throws {
    let status = SecTrustSetPolicies(self, policy)
    guard status == errSecSuccess else { throw ServerTrustFailure.policyNotApplied(status: status) }
  }

  fileprivate func check() throws {
    var error: CFError?
    guard SecTrustEvaluateWithError(self, &error) else { throw ServerTrustFailure.notTrusted(error) }
  }
}
