/// What has been submitted to a log, and what its timestamp signs (RFC 6962, 3.2).
package enum TransparencyEntry: Sendable, Hashable {
  /// A certificate in DER.
  case certificate([UInt8])
  /// A certificate as it was before timestamps were added: SHA-256 of the issuer's key, and the TBSCertificate without the list of timestamps.
  case precertificate(issuerKeyHash: [UInt8], [UInt8])
}

/// The timestamps inside a certificate, and the certificate without them, for which the logs issued them.
package struct EmbeddedTimestamps: Sendable, Hashable {
  /// The bytes of the SignedCertificateTimestampList.
  package let list: [UInt8]
  /// The TBSCertificate without the extension that has the list: what the logs have signed.
  package let remainder: [UInt8]

  /// The object identifier of the extension in a certificate: 1.3.6.1.4.1.11129.2.4.2 (RFC 6962, 3.3).
  private static let identifier: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x04, 0x02]
  /// The object identifier of the extension in an OCSP response: 1.3.6.1.4.1.11129.2.4.5 (RFC 6962, 3.3).
  private static let stapleIdentifier: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x04, 0x05]

  /// nil if the certificate (DER) is malformed, or has no list of timestamps or more than one.
  package init?(certificate: [UInt8]) {
    var outer = DERReader(certificate)
    guard let parts = outer.next(0x30) else { return nil }
    var inner = DERReader(parts)
    guard let content = inner.next(0x30) else { return nil }
    var fields = DERReader(content)
    var kept: [UInt8] = []
    var found: [ArraySlice<UInt8>] = []
    while let field = fields.next() {
      // RFC 5280, 4.1: the extensions are the field [3] EXPLICIT of a TBSCertificate.
      guard field.tag == 0xA3 else {
        kept += field.whole
        continue
      }
      var explicit = DERReader(field.content)
      guard let extensions = explicit.next(0x30) else { return nil }
      var others: [UInt8] = []
      var reader = DERReader(extensions)
      while let one = reader.next() {
        if let list = EmbeddedTimestamps.value(of: one, EmbeddedTimestamps.identifier) { found.append(list) } else { others += one.whole }
      }
      guard reader.isAtEnd else { return nil }
      kept += DERReader.element(0xA3, DERReader.element(0x30, others))
    }
    guard fields.isAtEnd, found.count == 1 else { return nil }
    list = Array(found[0])
    remainder = DERReader.element(0x30, kept)
  }

  /// The octet string inside an extension with this identifier; nil for an extension with another one.
  private static func value(of one: DERReader.Element, _ identifier: [UInt8]) -> ArraySlice<UInt8>? {
    var content = DERReader(one.content)
    guard one.tag == 0x30, content.next(0x06) == identifier[...] else { return nil }
    // The Boolean "critical" may come before the value.
    _ = content.next(0x01)
    guard let octets = content.next(0x04) else { return nil }
    var inner = DERReader(octets)
    return inner.next(0x04)
  }

  /// The lists of timestamps in an OCSP response (RFC 6960, 4.2.1), one for each certificate it is about. The response's own signature isn't
  /// verified: the timestamps are signed themselves.
  package static func lists(inStaple response: [UInt8]) -> [[UInt8]] {
    var whole = DERReader(response)
    // OCSPResponse: the status, then [0] EXPLICIT ResponseBytes, which has a type and, in an octet string, the response.
    guard let parts = whole.next(0x30) else { return [] }
    var reader = DERReader(parts)
    guard reader.next(0x0A) != nil, let explicit = reader.next(0xA0) else { return [] }
    reader = DERReader(explicit)
    guard let bytes = reader.next(0x30) else { return [] }
    reader = DERReader(bytes)
    guard reader.next(0x06) != nil, let octets = reader.next(0x04) else { return [] }
    // BasicOCSPResponse begins with ResponseData, in which the only field with the tag SEQUENCE has the responses.
    reader = DERReader(octets)
    guard let basic = reader.next(0x30) else { return [] }
    reader = DERReader(basic)
    guard let data = reader.next(0x30) else { return [] }
    reader = DERReader(data)
    var lists: [[UInt8]] = []
    while let field = reader.next() {
      guard field.tag == 0x30 else { continue }
      var responses = DERReader(field.content)
      while let single = responses.next(0x30) { lists += list(inSingle: single) }
    }
    return lists
  }

  /// The lists of timestamps in a SingleResponse, whose extensions are its field [1].
  private static func list(inSingle response: ArraySlice<UInt8>) -> [[UInt8]] {
    var fields = DERReader(response)
    var lists: [[UInt8]] = []
    // certID and certStatus come first and are skipped: the status may have the tag [1], too.
    _ = (fields.next(), fields.next())
    while let field = fields.next() {
      guard field.tag == 0xA1 else { continue }
      var explicit = DERReader(field.content)
      guard let extensions = explicit.next(0x30) else { return [] }
      var reader = DERReader(extensions)
      while let one = reader.next() {
        if let list = value(of: one, stapleIdentifier) { lists.append(Array(list)) }
      }
    }
    return lists
  }
}
