import Foundation

extension URLSessionConfiguration {
  /// Lists of revoked certificates. Default: nil, none. An addition to Apple's API.
  ///
  /// A server is refused if one of them has its certificate, or an authority's of its chain, and is signed by the authority that issued it
  /// (`URLError.serverCertificateUntrusted`). Authorities without a list pass: `SecPolicyCreateRevocation` with `kSecRevocationRequirePositiveResponse`
  /// demands one of each. Connections and tickets that a session has already aren't looked at again. A background session's daemon reads the files
  /// again.
  public var revocationLists: URLSessionRevocationLists? {
    get { values.withLock { $0.revocationLists } }
    set { values.withLock { $0.revocationLists = newValue } }
  }
}
