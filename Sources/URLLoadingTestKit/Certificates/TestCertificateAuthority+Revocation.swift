#if TestKit
  import Crypto
  import Foundation
  import HTTPTransport
  import ProtocolRules

  /// The unusual properties of a certificate revocation list (CRL), for tests of how clients check lists.
  package struct TestRevocationTraits: Sendable {
    /// The list's thisUpdate, when it was issued; a minute ago if nil.
    package var thisUpdate: Date?
    /// The list's nextUpdate, until which it is current; in an hour if nil.
    package var nextUpdate: Date?
    package var hasNextUpdate = true
    /// Additional DER-encoded extensions of the list (`extensions`) and of each of its entries (`entryExtensions`).
    package var extensions: [[UInt8]] = []
    package var entryExtensions: [[UInt8]] = []

    package init() {}
  }

  extension TestCertificateAuthority {
    /// A certificate revocation list (RFC 5280, 5) in DER, signed by this authority.
    ///
    /// - Parameters:
    ///   - revoked: The revoked certificates, in DER.
    ///   - traits: The list's dates and extensions.
    package func revocationList(_ revoked: [Data], _ traits: TestRevocationTraits = TestRevocationTraits()) throws -> Data {
      func sequence(_ parts: [UInt8]...) -> [UInt8] { DERReader.element(0x30, parts.flatMap(\.self)) }
      func time(_ date: Date) -> [UInt8] {
        let digits: [UInt8] = date.formatted(.iso8601).utf8.filter { $0 >= 0x30 && $0 <= 0x39 }
        return DERReader.element(0x17, digits.dropFirst(2) + [0x5A])
      }
      guard let name = CertificateParts.part(.subject, of: der) else { throw CocoaError(.coderInvalidValue) }
      let entries = try revoked.map { certificate in
        guard let serial = CertificateParts.part(.serialNumber, of: certificate), let first = serial.first else {
          throw CocoaError(.coderInvalidValue)
        }
        let number = DERReader.element(0x02, (first & 0x80 == 0 ? [] : [0]) + serial)
        let extensions = traits.entryExtensions.isEmpty ? [] : sequence(traits.entryExtensions.flatMap(\.self))
        return sequence(number, time(Date(timeIntervalSinceNow: -3600)), extensions)
      }
      // The algorithm identifier ecdsa-with-SHA256.
      let algorithm = sequence([0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
      var body: [UInt8] = [2, 1, 1] + algorithm + name + time(traits.thisUpdate ?? Date(timeIntervalSinceNow: -60))
      if traits.hasNextUpdate { body += time(traits.nextUpdate ?? Date(timeIntervalSinceNow: 3600)) }
      if !entries.isEmpty { body += sequence(entries.flatMap(\.self)) }
      // The CRL number extension (RFC 5280, 5.2.3), with the number 1.
      let number = sequence([0x06, 0x03, 0x55, 0x1D, 0x14], [4, 3, 2, 1, 1])
      body += DERReader.element(0xA0, sequence(([number] + traits.extensions).flatMap(\.self)))
      let signed = sequence(body)
      let signature = try key.signature(for: Data(signed)).derRepresentation
      return Data(sequence(signed, algorithm, DERReader.element(0x03, [0] + signature)))
    }
  }
#endif
