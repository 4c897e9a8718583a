import LoadingModel

/// Reads a list of alternatives (RFC 7838, 3).
struct AlternativeServiceReader {
  private enum Element {
    case offer(AlternativeServiceField.Offer)
    /// Well-formed, but with a protocol name, host, port or `ma` that is invalid: the alternative is skipped.
    case impossible
    case malformed
  }

  /// Seconds that an alternative without `ma` may be used (RFC 7838, 3.1).
  static let defaultMaximumAge: UInt64 = 24 * 60 * 60

  private var cursor: FieldCursor

  init(_ value: String) { cursor = FieldCursor(value) }

  /// Reads `1#alt-value`; nil if the value is malformed. List elements may be empty (RFC 9110, 5.6.1).
  mutating func offers(atMost limit: Int) -> [AlternativeServiceField.Offer]? {
    var offers: [AlternativeServiceField.Offer] = []
    var isEmpty = true
    while true {
      cursor.skipSeparators()
      if cursor.isAtEnd { return isEmpty ? nil : offers }
      isEmpty = false
      switch element() {
      case .offer(let offer): if offers.count < limit { offers.append(offer) }
      case .impossible: break
      case .malformed: return nil
      }
      cursor.skipSpace()
      guard cursor.isAtElementEnd else { return nil }
    }
  }

  /// Reads one list element: `alternative *( OWS ";" OWS parameter )`.
  private mutating func element() -> Element {
    guard let name = cursor.token(), cursor.take(UInt8(ascii: "=")), let authority = cursor.quotedString() else { return .malformed }
    var offer = AlternativeServiceReader.service(name, authority).map { AlternativeServiceField.Offer($0) }
    cursor.skipSpace()
    while cursor.take(UInt8(ascii: ";")) {
      cursor.skipSpace()
      guard let parameter = cursor.token(), cursor.take(UInt8(ascii: "=")), let value = cursor.token() ?? cursor.quotedString() else {
        return .malformed
      }
      switch parameter {
      case "ma":
        if let seconds = AlternativeServiceReader.seconds(value) { offer?.maximumAge = seconds } else { offer = nil }
      // RFC 7838, 3.1: "Clients MUST ignore \"persist\" parameters with values other than \"1\"."
      case "persist": if value == "1" { offer?.outlastsNetwork = true }
      // RFC 7838, 3: "Unknown parameters MUST be ignored".
      default: break
      }
      cursor.skipSpace()
    }
    return offer.map { .offer($0) } ?? .impossible
  }

  /// `delta-seconds` (RFC 9111, 1.2.2); a value above 2^31 counts as 2^31. nil if it isn't a number.
  private static func seconds(_ text: String) -> UInt64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    let largest: UInt64 = 1 << 31
    return text.utf8.reduce(0) { min(largest, $0 * 10 + UInt64($1 - 0x30)) }
  }

  private static func service(_ token: String, _ authority: String) -> AlternativeService? {
    guard let name = protocolName(token), let colon = authority.lastIndex(of: ":") else { return nil }
    let digits = authority[authority.index(after: colon)...]
    guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = Int(digits), 1...65535 ~= port else {
      return nil
    }
    let host = authority[..<colon].lowercased()
    if host.isEmpty { return AlternativeService(name, port: port) }
    guard FieldSyntaxRules.isHostValue(host) else { return nil }
    let isLiteral = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
    guard isLiteral || !host.contains(where: { ":[]".contains($0) }) else { return nil }
    return AlternativeService(name, host: isLiteral ? String(host.dropFirst().dropLast()) : host, port: port)
  }

  /// Decodes the ALPN name. RFC 7838, 3: bytes that a token can't have, and "%", are percent-encoded in it. nil if malformed.
  private static func protocolName(_ token: String) -> String? {
    var name: [UInt8] = []
    var rest = Substring(token).utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        name.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(HexDigit.value), let low = rest.popFirst().flatMap(HexDigit.value) else { return nil }
      name.append(high << 4 | low)
    }
    return String(validating: name, as: UTF8.self)
  }
}
