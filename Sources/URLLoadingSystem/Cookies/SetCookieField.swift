import Foundation
import LoadingModel

/// Reads `Set-Cookie` fields (RFC 6265, 5.2). Pure.
enum SetCookieField {
  /// Takes apart a field in which several cookies were joined by commas.
  ///
  /// A comma ends a cookie if a name and "=" follow it. The comma of a date is followed by a day and a space or by a day of several parts.
  static func split(_ joined: String) -> [Substring] {
    let bytes = joined.utf8
    var parts: [Substring] = []
    var start = bytes.startIndex
    var index = start
    while let comma = bytes[index...].firstIndex(of: UInt8(ascii: ",")) {
      index = bytes.index(after: comma)
      if startsCookie(bytes[index...]) {
        parts.append(joined[start..<comma])
        start = index
      }
    }
    parts.append(joined[start...])
    return parts.map { $0.trimmingSpaces() }.filter { !$0.isEmpty }
  }

  private static func startsCookie(_ rest: Substring.UTF8View) -> Bool {
    let trimmed = rest.drop { $0 == 0x20 || $0 == 0x09 }
    guard let end = trimmed.firstIndex(where: { !isToken($0) }) else { return false }
    return end != trimmed.startIndex && trimmed[end] == UInt8(ascii: "=")
  }

  /// A character of a token (RFC 9110, 5.6.2).
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// The cookie in `field`, which `url` sent at `now`; nil if there is none or it must be ignored.
  static func parse(_ field: some StringProtocol, from url: CookieURL, now: Date) -> CookieAttributes? {
    guard !field.utf8.contains(where: CookieRules.isControl) else { return nil }
    var parts = field.split(separator: ";", omittingEmptySubsequences: false).map { Substring($0) }
    let pair = parts.removeFirst()
    guard let equals = pair.firstIndex(of: "=") else { return nil }
    let name = pair[..<equals].trimmingSpaces()
    let value = pair[pair.index(after: equals)...].trimmingSpaces()
    // RFC 6265, 5.2, step 5: without a name the whole field is ignored.
    guard !name.isEmpty, name.utf8.count + value.utf8.count <= CookieRules.maximumSize else { return nil }
    var cookie = CookieAttributes(
      name: String(name), value: String(value), domain: url.host, path: CookieRules.defaultPath(url.path), isSessionOnly: true)
    var lifetime = Lifetime()
    for part in parts { apply(part, to: &cookie, &lifetime, url, now) }
    // RFC 6265, 5.3, step 3: Max-Age stands above Expires.
    cookie.expires = lifetime.maximumAge ?? lifetime.expires
    cookie.isSessionOnly = cookie.expires == nil
    return cookie
  }

  private struct Lifetime {
    var expires: Date?
    var maximumAge: Date?
  }

  /// Applies one attribute; of several with the same name the last counts, and unknown ones are ignored.
  private static func apply(
    _ part: Substring, to cookie: inout CookieAttributes, _ lifetime: inout Lifetime, _ url: CookieURL, _ now: Date
  ) {
    let equals = part.firstIndex(of: "=")
    let name = (equals.map { part[..<$0] } ?? part).trimmingSpaces().lowercased()
    let value = (equals.map { part[part.index(after: $0)...] } ?? "").trimmingSpaces()
    switch name {
    case "expires": lifetime.expires = CookieDate.parse(value) ?? lifetime.expires
    case "max-age": lifetime.maximumAge = maximumAge(value).map { now.addingTimeInterval($0) } ?? lifetime.maximumAge
    case "domain": cookie.domain = domain(value, from: url)
    // RFC 6265, 5.2.4
    case "path": cookie.path = value.hasPrefix("/") ? String(value) : CookieRules.defaultPath(url.path)
    case "secure": cookie.isSecure = true
    case "httponly": cookie.isHTTPOnly = true
    case "samesite": cookie.sameSite = HTTPCookieStringPolicy(attribute: String(value))
    case "comment": cookie.comment = String(value)
    case "commenturl": cookie.commentURL = URL(string: String(value))
    case "version": cookie.version = value == "1" ? 1 : 0
    default: break
    }
  }

  /// Seconds; nil if the text isn't an integer (RFC 6265, 5.2.2). Numbers too large for an integer stand for the longest time.
  static func maximumAge(_ text: some StringProtocol) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Double(String(text)) else { return nil }
    return min(max(seconds, 0), 1e11)
  }

  /// The domain with a leading dot; the host itself if the attribute is empty or the host is an address (RFC 6265, 5.2.3).
  private static func domain(_ value: Substring, from url: CookieURL) -> String {
    let name = (value.hasPrefix(".") ? value.dropFirst() : value).lowercased()
    if name.isEmpty { return url.host }
    return CookieRules.isAddress(name) ? name : "." + name
  }
}
