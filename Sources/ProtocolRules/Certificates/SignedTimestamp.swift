/// A log's promise to publish a certificate: a signed certificate timestamp (SCT; RFC 6962, 3.2).
package struct SignedTimestamp: Sendable, Hashable {
  package enum Signature: Sendable, Hashable {
    case ecdsa
    case rsa
  }

  /// SHA-256 of the log's key.
  package let log: [UInt8]
  /// Milliseconds since 1970.
  package let milliseconds: UInt64
  let extensions: [UInt8]
  /// What made the signature, with SHA-256; nil where a log may not use it.
  package let algorithm: Signature?
  package let signature: [UInt8]

  /// Those of a SignedCertificateTimestampList (3.3), but for the ones that can't be read, such as those of later versions. Empty if the list itself
  /// can't be.
  package static func list(_ bytes: some Sequence<UInt8>) -> [SignedTimestamp] {
    var outer = VectorReader(Array(bytes)[...])
    guard let list = outer.vector(2), outer.isAtEnd else { return [] }
    var reader = VectorReader(list)
    var result: [SignedTimestamp] = []
    while !reader.isAtEnd {
      guard let one = reader.vector(2) else { return [] }
      if let timestamp = SignedTimestamp(one) { result.append(timestamp) }
    }
    return result
  }

  private init?(_ bytes: ArraySlice<UInt8>) {
    var reader = VectorReader(bytes)
    // Version 1 is written as 0.
    guard reader.number(1) == 0, let log = reader.bytes(32), let milliseconds = reader.number(8), let extensions = reader.vector(2),
      let hash = reader.number(1), let kind = reader.number(1), let signature = reader.vector(2), reader.isAtEnd
    else { return nil }
    self.log = Array(log)
    self.milliseconds = milliseconds
    self.extensions = Array(extensions)
    self.signature = Array(signature)
    // RFC 5246, 7.4.1.4.1: SHA-256 is 4. RFC 6962, 2.1.4: ECDSA or RSA, with SHA-256.
    algorithm =
      switch (hash, kind) {
      case (4, 3): .ecdsa
      case (4, 1): .rsa
      default: nil
      }
  }

  /// The bytes that the log has signed for `entry`; nil for one that is too long to be one.
  package func signedBytes(for entry: TransparencyEntry) -> [UInt8]? {
    // Version 1; the signature is that of a certificate's timestamp, not of a tree's head.
    var bytes: [UInt8] = [0, 0] + VectorReader.bytes(of: milliseconds, count: 8)
    switch entry {
    case .certificate(let certificate):
      guard certificate.count < 1 << 24 else { return nil }
      bytes += [0, 0] + VectorReader.bytes(of: UInt64(certificate.count), count: 3) + certificate
    case .precertificate(let issuerKeyHash, let rest):
      guard rest.count < 1 << 24 else { return nil }
      bytes += [0, 1] + issuerKeyHash + VectorReader.bytes(of: UInt64(rest.count), count: 3) + rest
    }
    return bytes + VectorReader.bytes(of: UInt64(extensions.count), count: 2) + extensions
  }
}

/// Reads numbers and vectors as TLS writes them (RFC 5246, 4).
struct VectorReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// A number of at most 8 bytes.
  mutating func number(_ count: Int) -> UInt64? { bytes(count)?.reduce(0) { $0 << 8 | UInt64($1) } }

  /// What follows a length of `width` bytes.
  mutating func vector(_ width: Int) -> ArraySlice<UInt8>? { number(width).flatMap { bytes(Int($0)) } }

  static func bytes(of number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
  }
}
