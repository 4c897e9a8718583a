#if TestKit
  import Foundation

  /// The properties of a certificate that tests vary. The default is an ordinary server certificate.
  public struct TestCertificateTraits: Sendable {
    /// The certificate's extended key usage (RFC 5280, 4.2.1.12).
    public enum Usage: Sendable {
      /// Authentication of a TLS server.
      case server
      /// Authentication of a TLS client.
      case client
      /// No extended key usage extension: any usage is allowed.
      case unlimited
    }

    /// The subject's common name; the first host if nil.
    public var commonName: String?
    /// Host names and IP address literals of the subject alternative name; without any, the extension is left out.
    public var hosts = TestCertificateAuthority.loopbackHosts
    /// The extended key usage.
    public var usage = Usage.server
    /// Beginning of the validity; a day ago if nil.
    public var notBefore: Date?
    /// End of the validity; in a day if nil.
    public var notAfter: Date?
    /// Whether the certificate requires a stapled OCSP response (TLS feature extension, RFC 7633).
    public var demandsStaple = false
    /// The Certificate Transparency logs whose timestamps (SCTs) are embedded in the certificate.
    package var logs: [TestTransparencyLog] = []

    /// An ordinary server certificate for the loopback hosts.
    public init() {}
  }

  /// The properties of an authority's certificate that tests vary. The default is an ordinary authority.
  public struct TestAuthorityTraits: Sendable {
    /// Whether the certificate's basic constraints say that it belongs to an authority.
    public var isAuthority = true
    /// The path length constraint: how many further authorities may follow below this one; nil for any number.
    public var maximumPathLength: Int?
    /// The domains for which it may issue certificates (name constraints); empty for all.
    public var permittedDomains: [String] = []
    /// Beginning of the validity; a day ago if nil.
    public var notBefore: Date?
    /// End of the validity; in a day if nil.
    public var notAfter: Date?

    /// The properties of an ordinary authority.
    public init() {}
  }
#endif
