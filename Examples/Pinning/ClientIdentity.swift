import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(Security)
  import Security
#endif

/// Authenticates the client to servers, with an identity out of a PKCS #12 file.
public final class ClientIdentityDelegate: NSObject, URLSessionDelegate, @unchecked Sendable {
  // @unchecked: immutable.
  private let credential: URLCredential?

  public init(archive: Data, passphrase: String) {
    var items: CFArray?
    let options: [String: Any] = [kSecImportExportPassphrase as String: passphrase]
    guard SecPKCS12Import(archive as CFData, options as CFDictionary, &items) == errSecSuccess,
      let item = (items as? [[String: Any]])?.first, let identity = item[kSecImportItemIdentity as String]
    else {
      credential = nil
      return
    }
    let chain = item[kSecImportItemCertChain as String] as? [SecCertificate]
    credential = URLCredential(identity: identity as! SecIdentity, certificates: chain, persistence: .forSession)
  }

  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate, let credential {
      completionHandler(.useCredential, credential)
    } else {
      completionHandler(.performDefaultHandling, nil)
    }
  }
}
