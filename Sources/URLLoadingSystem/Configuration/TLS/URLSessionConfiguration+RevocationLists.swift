import Foundation

extension URLSessionConfiguration {
  /// Lists of revoked certificates. Default: nil, none. An addition to Apple's API.
  ///
  /// A server is refused (`URLError.serverCertificateUntrusted`) if a list contains its certificate, or that of an authority in its chain, and is
  /// signed by the authority that issued it. Certificates of authorities without a list pass, unless `SecPolicyCreateRevocation` with
  /// `kSecRevocationRequirePositiveResponse` demands a list of each. Existing connections and TLS tickets of a session aren't checked again. A
  /// background session's daemon reads the files again.
  public var revocationLists: URLSessionRevocationLists? {
    get { values.withLock { $0.revocationLists } }
    set { values.change { $0.revocationLists = newValue } }
  }
}
