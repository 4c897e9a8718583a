/// The `Content-Disposition` field of a response (RFC 6266): how to present the body, and under which name to keep it.
package struct ContentDisposition: Sendable {
  /// "attachment", "inline"… in lower case; empty if the field starts with a parameter.
  package let type: String
  /// The name the server suggests, decoded but not made safe: it may contain path separators or control characters.
  package let filename: String?

  package init(_ text: String) {
    var scanner = ParameterScanner(text)
    let typeScalars = scanner.take { $0 != ";" && $0 != "=" }
    var plain: String?
    var extended: String?
    if scanner.next == "=" {
      // Some servers leave the type out: read again, as a parameter.
      type = ""
      scanner = ParameterScanner(";" + text)
    } else {
      type = String(typeScalars).trimmingSpaces().lowercased()
    }
    while scanner.skip(";") {
      scanner.skipWhitespace()
      let name = String(scanner.take { $0 != ";" && $0 != "=" }.trimmingEnd()).lowercased()
      guard scanner.skip("=") else { continue }
      scanner.skipWhitespace()
      let value: String
      if scanner.next == "\"" {
        value = scanner.quotedString()
        _ = scanner.take { $0 != ";" }
      } else {
        value = scanner.unquotedValue()
      }
      switch name {
      case "filename": plain = plain ?? value
      case "filename*": extended = extended ?? Self.extendedValue(value)
      default: break
      }
    }
    // RFC 6266, 4.3: where both are present and understood, the extended form wins.
    filename = extended ?? plain
  }

  /// Decodes `charset'language'percent-encoded` (RFC 8187, 3.2); nil if malformed or of another charset than UTF-8 and ISO-8859-1.
  static func extendedValue(_ text: String) -> String? {
    let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = percentDecoded(parts[2]) else { return nil }
    switch parts[0].lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    case "iso-8859-1":
      var scalars = String.UnicodeScalarView()
      scalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
      return String(scalars)
    default: return nil
    }
  }

  private static func percentDecoded(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}

extension UInt8 {
  fileprivate var hexDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
