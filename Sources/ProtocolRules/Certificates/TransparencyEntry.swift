/// What a log has been given, and signs (RFC 6962, 3.2).
package enum TransparencyEntry: Sendable, Hashable {
  /// A certificate in DER.
  case certificate([UInt8])
  /// What the certificate was before it had timestamps: its TBSCertificate without them, and SHA-256 of the issuer's key.
  case precertificate(issuerKeyHash: [UInt8], [UInt8])
}

/// The timestamps inside a certificate, and what they were given for.
package struct EmbeddedTimestamps: Sendable, Hashable {
  /// The SignedCertificateTimestampList.
  package let list: [UInt8]
  /// The TBSCertificate without the extension that has the list.
  package let remainder: [UInt8]

  /// 1.3.6.1.4.1.11129.2.4.2 (RFC 6962, 3.3).
  private static let identifier: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x04, 0x02]
  /// 1.3.6.1.4.1.11129.2.4.5, of OCSP responses.
  private static let stapleIdentifier: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x04, 0x05]

  /// nil if the certificate (DER) has none, or more than one list.
  package init?(certificate: [UInt8]) {
    var outer = DERReader(certificate)
    guard let parts = outer.next(0x30) else { return nil }
    var inner = DERReader(parts)
    guard let content = inner.next(0x30) else { return nil }
    var fields = DERReader(content)
    var kept: [UInt8] = []
    var found: [ArraySlice<UInt8>] = []
    while let field = fields.next() {
      // RFC 5280, 4.1: extensions [3] EXPLICIT.
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

  /// The octet string inside of an extension that has this identifier; nil for others.
  private static func value(of one: DERReader.Element, _ identifier: [UInt8]) -> ArraySlice<UInt8>? {
    var content = DERReader(one.content)
    guard one.tag == 0x30, content.next(0x06) == identifier[...] else { return nil }
    // "critical" may be said before the value.
    _ = content.next(0x01)
    guard let octets = content.next(0x04) else { return nil }
    var inner = DERReader(octets)
    return inner.next(0x04)
  }

  /// The lists in an OCSP response (RFC 6960, 4.2.1), one for each certificate that it is about. Nothing of the response is verified: timestamps
  /// are signed themselves.
  package static func lists(inStaple response: [UInt8]) -> [[UInt8]] {
    var whole = DERReader(response)
    // OCSPResponse: the status, then [0] EXPLICIT ResponseBytes: a kind, and the response in an octet string.
    guard let parts = whole.next(0x30) else { return [] }
    var reader = DERReader(parts)
    guard reader.next(0x0A) != nil, let explicit = reader.next(0xA0) else { return [] }
    reader = DERReader(explicit)
    guard let bytes = reader.next(0x30) else { return [] }
    reader = DERReader(bytes)
    guard reader.next(0x06) != nil, let octets = reader.next(0x04) else { return [] }
    // BasicOCSPResponse: ResponseData, whose one sequence that stands by itself has the responses.
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

  /// Of a SingleResponse, whose extensions are its field [1].
  private static func list(inSingle response: ArraySlice<UInt8>) -> [[UInt8]] {
    var fields = DERReader(response)
    var lists: [[UInt8]] = []
    // certID and certStatus come first, and the status may have the tag [1] too.
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
