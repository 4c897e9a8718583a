import Foundation
import LoadingModel

/// Turns the text of a `Location` field into a URL.
package enum LocationRules {
  /// The URL that `location` means relative to `base`; nil if it is malformed.
  ///
  /// RFC 9110, 10.2.2: the value is a URI reference, resolved by RFC 3986, 5. What real servers send is tolerated as browsers do: spaces
  /// around it, backslashes for slashes, more or less than two slashes before the host, and unencoded spaces, non-ASCII text and stray percent
  /// signs in it, which are percent-encoded as UTF-8. A host outside ASCII becomes its IDNA form.
  package static func resolve(_ location: String, at base: URL) -> URL? {
    let reference = location.trimmingSpaces()
    // Control characters are refused: a tab or NUL inside a URL hints at a failed header injection.
    guard !reference.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    let text = encoded(withTwoSlashes(withSlashes(reference, base), base))
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

  private static let schemesOfHosts: Set<String> = [
    "http", "https", "ws", "wss", "http+unix", "https+unix", "ws+unix", "wss+unix",
  ]

  /// The scheme that `reference` begins with, as written; nil if it has none (RFC 3986, 3.1).
  private static func scheme(of reference: String) -> Substring? {
    guard let colon = reference.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = reference[..<colon]
    let isScheme = scheme.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case 0x61...0x7A, 0x41...0x5A: true
      case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): index > 0
      default: false
      }
    }
    return isScheme && !scheme.isEmpty ? scheme : nil
  }

  /// Replaces backslashes before the query by slashes, as the WHATWG URL standard, which browsers follow, does for these schemes.
  private static func withSlashes(_ reference: String, _ base: URL) -> String {
    let scheme = scheme(of: reference).map(String.init) ?? base.scheme ?? ""
    guard reference.utf8.contains(UInt8(ascii: "\\")), schemesOfHosts.contains(scheme.lowercased()) else { return reference }
    let end = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
    return "\(reference[..<end].replacing("\\", with: "/"))\(reference[end...])"
  }

  /// Puts exactly two slashes before the host. For these schemes the WHATWG URL standard skips further slashes, and adds missing ones; without
  /// slashes, a URL with the scheme of its base is relative instead.
  private static func withTwoSlashes(_ reference: String, _ base: URL) -> String {
    guard let own = scheme(of: reference) else {
      guard reference.hasPrefix("///"), schemesOfHosts.contains(base.scheme?.lowercased() ?? "") else { return reference }
      return "//\(reference.drop { $0 == "/" })"
    }
    guard schemesOfHosts.contains(own.lowercased()) else { return reference }
    let rest = reference[own.endIndex...].dropFirst()
    if !rest.hasPrefix("//"), own.lowercased() == base.scheme?.lowercased() { return relative(rest) }
    return "\(own)://\(rest.drop { $0 == "/" })"
  }

  /// `reference` as a relative reference, with "./" before a first segment that may contain a colon (RFC 3986, 4.2).
  private static func relative(_ reference: Substring) -> String {
    reference.isEmpty || "/?#".contains(reference[reference.startIndex]) ? String(reference) : "./\(reference)"
  }

  /// Adds the fragment of `base` if `url` has none. RFC 9110, 10.2.2: a Location without a fragment "inherits the fragment component of the URI
  /// reference used to generate the target URI".
  private static func inheritingFragment(_ url: URL, from base: URL) -> URL? {
    let text = url.absoluteString
    guard !text.contains("#") else { return url }
    let original = base.absoluteString
    guard let hash = original.firstIndex(of: "#") else { return url }
    return URL(string: text + original[hash...]) ?? url
  }

  /// Percent-encodes the bytes of `reference` that aren't legal, except in its host and port; existing percent-encoding stays. Foundation would,
  /// because of one stray percent sign or space, encode all percent signs of the component a second time.
  package static func encoded(_ reference: String) -> String {
    let bytes = Array(reference.utf8)
    let place = placeRange(of: bytes)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var inFragment = false
    for (index, byte) in bytes.enumerated() {
      let isLegal = place.contains(index) || isURLByte(byte, at: index, of: bytes, inFragment: inFragment)
      if isLegal { result.append(byte) } else { result += percentEncoded(byte) }
      if byte == UInt8(ascii: "#") { inFragment = true }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The range of host and port: from "//", or the "@" after it, to the next slash, question mark or hash. Empty if there is none.
  private static func placeRange(of bytes: [UInt8]) -> Range<Int> {
    var start = 0
    let head = bytes.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if let colon = head.firstIndex(of: UInt8(ascii: ":")) { start = colon + 1 }
    guard bytes[start...].starts(with: "//".utf8) else { return 0..<0 }
    let end = bytes[(start + 2)...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let authority = start + 2..<(end ?? bytes.endIndex)
    let user = bytes[authority].lastIndex(of: UInt8(ascii: "@"))
    return (user.map { $0 + 1 } ?? authority.lowerBound)..<authority.upperBound
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
