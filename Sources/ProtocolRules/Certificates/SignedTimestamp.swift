/// A log's promise to publish a certificate: a signed certificate timestamp (SCT; RFC 6962, 3.2).
package struct SignedTimestamp: Sendable, Hashable {
  package enum Signature: Sendable, Hashable {
    case ecdsa
    case rsa
  }

  /// SHA-256 of the log's public key, which identifies the log.
  package let log: [UInt8]
  /// When the timestamp was issued, in milliseconds since 1970.
  package let milliseconds: UInt64
  let extensions: [UInt8]
  /// The algorithm of the signature, used with SHA-256; nil if it is one that logs may not use.
  package let algorithm: Signature?
  package let signature: [UInt8]

  /// Parses a SignedCertificateTimestampList (RFC 6962, 3.3). Timestamps that can't be read, such as those of later versions, are left out. Empty
  /// if the list itself is malformed.
  package static func list(_ bytes: some Sequence<UInt8>) -> [SignedTimestamp] {
    var outer = BigEndianReader(Array(bytes))
    guard var reader = outer.part16(), outer.isAtEnd else { return [] }
    var result: [SignedTimestamp] = []
    while !reader.isAtEnd {
      guard var one = reader.part16() else { return [] }
      if let timestamp = SignedTimestamp(&one) { result.append(timestamp) }
    }
    return result
  }

  private init?(_ reader: inout BigEndianReader) {
    // The version: version 1 is written as 0.
    guard reader.byte() == 0, let log = reader.array(32), let milliseconds = reader.integer64(), let extensions = reader.array16(),
      let hash = reader.byte(), let kind = reader.byte(), let signature = reader.array16(), reader.isAtEnd
    else { return nil }
    (self.log, self.milliseconds, self.extensions, self.signature) = (log, milliseconds, extensions, signature)
    // RFC 5246, 7.4.1.4.1: SHA-256 is 4. RFC 6962, 2.1.4: ECDSA or RSA, with SHA-256.
    algorithm =
      switch (hash, kind) {
      case (4, 3): .ecdsa
      case (4, 1): .rsa
      default: nil
      }
  }

  /// The bytes that the log has signed for `entry`; nil if the entry has 2^24 bytes or more, which the format can't express.
  package func signedBytes(for entry: TransparencyEntry) -> [UInt8]? {
    // Version 1, and the signature's type: a certificate's timestamp (0), not a tree head (1).
    var bytes: [UInt8] = [0, 0] + SignedTimestamp.bytes(of: milliseconds, count: 8)
    switch entry {
    case .certificate(let certificate):
      guard certificate.count < 1 << 24 else { return nil }
      bytes += [0, 0] + SignedTimestamp.bytes(of: UInt64(certificate.count), count: 3) + certificate
    case .precertificate(let issuerKeyHash, let rest):
      guard rest.count < 1 << 24 else { return nil }
      bytes += [0, 1] + issuerKeyHash + SignedTimestamp.bytes(of: UInt64(rest.count), count: 3) + rest
    }
    return bytes + SignedTimestamp.bytes(of: UInt64(extensions.count), count: 2) + extensions
  }

  private static func bytes(of number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
  }
}
