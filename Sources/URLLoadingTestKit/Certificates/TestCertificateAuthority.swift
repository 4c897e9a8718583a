#if TestKit
  import Crypto
  import Foundation
  import X509

  /// A certificate authority with P-256 keys that is made for a test. Only clients that are given its `pem` trust it.
  ///
  ///     let authority = try TestCertificateAuthority()
  ///     let server = try await TestServer.start(.https(authority.issue()))
  public struct TestCertificateAuthority: Sendable {
    /// The names under which a test server can be reached: "localhost", "127.0.0.1" and "::1".
    public static let loopbackHosts = ["localhost", "127.0.0.1", "::1"]

    /// The authority's own certificate in PEM: the trust anchor for clients, unless this is an intermediate authority.
    public let pem: Data
    /// The authority's own certificate in DER.
    public let der: Data

    let key: P256.Signing.PrivateKey
    private let name: DistinguishedName
    /// The certificates of the intermediate authorities up to the root, which servers present after their own certificate.
    private let intermediates: [Certificate]

    /// A root authority. Throws if its certificate can't be made.
    public init(name: String = "Test Authority") throws {
      let key = P256.Signing.PrivateKey()
      var draft = CertificateDraft(subject: name, key: key)
      draft.purpose = .authority(TestAuthorityTraits())
      try self.init(draft.signed(by: key, issuer: draft.name()), key: key, intermediates: [])
    }

    private init(_ certificate: Certificate, key: P256.Signing.PrivateKey, intermediates: [Certificate]) throws {
      let document = try certificate.serializeAsPEM()
      pem = Data((document.pemString + "\n").utf8)
      der = Data(document.derBytes)
      name = certificate.subject
      self.key = key
      self.intermediates = intermediates
    }

    /// A certificate for a server.
    ///
    /// - Parameters:
    ///   - hosts: Host names and IP address literals that it is valid for.
    ///   - notBefore: Beginning of its validity; a day ago if nil.
    ///   - notAfter: End of its validity; in a day if nil.
    /// - Throws: If the certificate can't be made, for example for a host name that isn't ASCII.
    public func issue(
      hosts: [String] = TestCertificateAuthority.loopbackHosts, notBefore: Date? = nil, notAfter: Date? = nil
    ) throws -> TestCertificate {
      try issue(subject: hosts.first ?? "no host", hosts: hosts, .server, .init(notBefore: notBefore, notAfter: notAfter))
    }

    /// A server certificate for the loopback hosts that expired an hour ago.
    public func issueExpired() throws -> TestCertificate { try issue(notAfter: Date(timeIntervalSinceNow: -3600)) }

    /// A server certificate for the loopback hosts that becomes valid in an hour.
    public func issueNotYetValid() throws -> TestCertificate { try issue(notBefore: Date(timeIntervalSinceNow: 3600)) }

    /// A server certificate for the host "wrong.example", under which no test server can be reached.
    public func issueForWrongHost() throws -> TestCertificate { try issue(hosts: ["wrong.example"]) }

    /// A certificate by which a client identifies itself.
    public func issueClient(
      name: String = "Test Client", notBefore: Date? = nil, notAfter: Date? = nil
    ) throws -> TestCertificate {
      try issue(subject: name, hosts: [], .client, .init(notBefore: notBefore, notAfter: notAfter))
    }

    /// A certificate with unusual properties, such as another usage or embedded timestamps.
    public func issue(_ traits: TestCertificateTraits) throws -> TestCertificate {
      let purpose: CertificateDraft.Purpose =
        switch traits.usage {
        case .server: .server
        case .client: .client
        case .unlimited: .anything
        }
      return try issue(
        subject: traits.commonName ?? traits.hosts.first ?? "no host", hosts: traits.hosts, purpose,
        .init(notBefore: traits.notBefore, notAfter: traits.notAfter), demandsStaple: traits.demandsStaple, logs: traits.logs)
    }

    /// An intermediate authority whose certificate this authority issues. Certificates that it issues include its own certificate in their chain.
    public func makeIntermediate(
      name: String = "Test Intermediate Authority", _ traits: TestAuthorityTraits = TestAuthorityTraits()
    ) throws -> TestCertificateAuthority {
      let childKey = P256.Signing.PrivateKey()
      var draft = CertificateDraft(subject: name, key: childKey)
      draft.purpose = .authority(traits)
      draft.validity = .init(notBefore: traits.notBefore, notAfter: traits.notAfter)
      let certificate = try draft.signed(by: key, issuer: self.name)
      return try TestCertificateAuthority(certificate, key: childKey, intermediates: [certificate] + intermediates)
    }

    private func issue(
      subject: String, hosts: [String], _ purpose: CertificateDraft.Purpose, _ validity: CertificateValidity,
      demandsStaple: Bool = false, logs: [TestTransparencyLog] = []
    ) throws -> TestCertificate {
      let leafKey = P256.Signing.PrivateKey()
      var draft = CertificateDraft(subject: subject, key: leafKey)
      draft.hosts = hosts
      draft.purpose = purpose
      draft.validity = validity
      draft.demandsStaple = demandsStaple
      draft.logs = logs
      return try TestCertificate(draft.signed(by: key, issuer: name), key: leafKey, intermediates: intermediates)
    }
  }
#endif
