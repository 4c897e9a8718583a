#if TestKit
  import Foundation

  /// What a server's certificate says, where a test wants something out of the ordinary.
  public struct TestCertificateTraits: Sendable {
    /// What the certificate's key may be used for.
    public enum Usage: Sendable {
      /// To prove who a server is.
      case server
      /// To prove who a client is.
      case client
      /// Nothing is said.
      case unlimited
    }

    /// The subject's common name; the first host if nil.
    public var commonName: String?
    /// Host names and IP address literals of the subject alternative name; none leaves the extension out.
    public var hosts = TestCertificateAuthority.loopbackHosts
    /// The extended key usage.
    public var usage = Usage.server
    /// Beginning of the validity; a day ago if nil.
    public var notBefore: Date?
    /// End of the validity; in a day if nil.
    public var notAfter: Date?
    /// Whether the certificate demands a stapled proof that it isn't revoked (RFC 7633).
    public var demandsStaple = false
    /// The logs whose timestamps are in the certificate.
    package var logs: [TestTransparencyLog] = []

    /// An ordinary server certificate for the loopback hosts.
    public init() {}
  }

  /// What an authority's certificate says, where a test wants something out of the ordinary.
  public struct TestAuthorityTraits: Sendable {
    /// Whether it says that it is an authority at all.
    public var isAuthority = true
    /// How many authorities may follow below it; nil for any number.
    public var maximumPathLength: Int?
    /// The domains for which it may issue certificates; none for all.
    public var permittedDomains: [String] = []
    /// Beginning of the validity; a day ago if nil.
    public var notBefore: Date?
    /// End of the validity; in a day if nil.
    public var notAfter: Date?

    /// An ordinary authority.
    public init() {}
  }
#endif
