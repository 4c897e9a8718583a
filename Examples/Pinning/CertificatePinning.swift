import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(Security)
  import Security
#endif

/// Accepts servers whose certificate is one of those that ship with the app. Works unchanged on Apple's platforms.
public final class CertificatePinningDelegate: NSObject, URLSessionDelegate, @unchecked Sendable {
  // @unchecked: immutable.
  private let pinned: Set<Data>

  public init(certificates: [Data]) { pinned = Set(certificates) }

  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
      let trust = challenge.protectionSpace.serverTrust
    else { return completionHandler(.performDefaultHandling, nil) }
    var error: CFError?
    guard SecTrustEvaluateWithError(trust, &error) else { return completionHandler(.cancelAuthenticationChallenge, nil) }
    let leaf = (SecTrustCopyCertificateChain(trust) as? [SecCertificate])?.first
    if let leaf, pinned.contains(SecCertificateCopyData(leaf) as Data) {
      completionHandler(.useCredential, URLCredential(trust: trust))
    } else {
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  }
}
