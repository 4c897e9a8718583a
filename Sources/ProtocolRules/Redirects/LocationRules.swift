import Foundation
import LoadingModel

/// From the text of a `Location` field to the URL it means.
package enum LocationRules {
  /// The URL that `location` means at `base`; nil if it is malformed.
  ///
  /// RFC 9110, 10.2.2: the value is a URI reference, resolved by RFC 3986, 5. What real servers send is tolerated as browsers do: spaces
  /// around it, more than two slashes before the host, and unencoded spaces, non-ASCII text and stray percent signs in it, which are
  /// percent-encoded as UTF-8. A host outside ASCII becomes its IDNA form.
  package static func resolve(_ location: String, at base: URL) -> URL? {
    let reference = location.trimmingSpaces()
    // Control characters can't be meant; a tab or NUL inside a URL is a sign of an injection that went half through.
    guard !reference.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    let text = encoded(withTwoSlashes(reference, base))
    guard let url = URL(string: text, relativeTo: base)?.absoluteURL, let scheme = url.scheme?.lowercased() else { return nil }
    guard schemesOfHosts.contains(scheme) else { return inheritingFragment(url, from: base) }
    // RFC 3986, 5.2.2 removes dot segments from absolute references too; Foundation does so for relative ones only.
    let plain = withoutDotSegments(url)
    return Target(plain) == nil ? nil : inheritingFragment(plain, from: base)
  }

  /// The URL without the segments "." and ".." of its path (RFC 3986, 5.2.4).
  package static func withoutDotSegments(_ url: URL) -> URL {
    mayHaveDotSegments(url.absoluteString) ? url.standardized : url
  }

  /// Whether a segment of the text begins with a dot.
  package static func mayHaveDotSegments(_ text: String) -> Bool {
    var previous: UInt8 = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return true }
      previous = byte
    }
    return false
  }

  private static let schemesOfHosts: Set<String> = ["http", "https", "ws", "wss"]

  /// A URL of these schemes always has a host: the WHATWG's URL standard, which browsers follow, skips slashes in front of it beyond two.
  private static func withTwoSlashes(_ reference: String, _ base: URL) -> String {
    let head = reference.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let hasScheme = head.last == ":"
    guard head.isEmpty || hasScheme, reference[head.endIndex...].hasPrefix("///") else { return reference }
    let scheme = hasScheme ? String(head.dropLast()) : base.scheme ?? ""
    guard schemesOfHosts.contains(scheme.lowercased()) else { return reference }
    return head + "//" + reference[head.endIndex...].drop { $0 == "/" }
  }

  /// RFC 9110, 10.2.2: without a fragment of its own, a Location "inherits the fragment component of the URI reference used to generate
  /// the target URI".
  private static func inheritingFragment(_ url: URL, from base: URL) -> URL? {
    let text = url.absoluteString
    guard !text.contains("#") else { return url }
    let original = base.absoluteString
    guard let hash = original.firstIndex(of: "#") else { return url }
    return URL(string: text + original[hash...]) ?? url
  }

  /// `reference` with everything but its authority made legal. Left to Foundation, one stray percent sign would encode all of them twice.
  private static func encoded(_ reference: String) -> String {
    let bytes = Array(reference.utf8)
    let authority = authorityRange(of: bytes)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var inFragment = false
    for (index, byte) in bytes.enumerated() {
      let isLegal = authority.contains(index) || isURLByte(byte, at: index, of: bytes, inFragment: inFragment)
      if isLegal { result.append(byte) } else { result += percentEncoded(byte) }
      if byte == UInt8(ascii: "#") { inFragment = true }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// What is between "//" and the next slash, question mark or hash.
  private static func authorityRange(of bytes: [UInt8]) -> Range<Int> {
    var start = 0
    let head = bytes.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if let colon = head.firstIndex(of: UInt8(ascii: ":")) { start = colon + 1 }
    guard bytes[start...].starts(with: "//".utf8) else { return 0..<0 }
    let end = bytes[(start + 2)...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    return start + 2..<(end ?? bytes.endIndex)
  }

  /// Whether a path, query or fragment may contain `byte` (RFC 3986, 3.3 to 3.5): a hash once, a percent sign before two hex digits.
  private static func isURLByte(_ byte: UInt8, at index: Int, of bytes: [UInt8], inFragment: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "%"):
      return index + 2 < bytes.count && HexDigit.value(bytes[index + 1]) != nil && HexDigit.value(bytes[index + 2]) != nil
    case UInt8(ascii: "#"): return !inFragment
    case 0x61...0x7A, 0x3F...0x5A, 0x26...0x3B: return true
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "_"), UInt8(ascii: "~"): return true
    default: return false
    }
  }

  private static func percentEncoded(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%"), HexDigit.digit(byte >> 4), HexDigit.digit(byte)]
  }
}
