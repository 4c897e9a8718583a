import Foundation
import LoadingModel

/// Reads `Set-Cookie` fields (RFC 6265bis, 5.6). Pure.
///
/// A cookie without a name is left out, as RFC 6265 asks: the public `HTTPCookie` can't be made without one.
package enum SetCookieField {
  /// Takes apart a field in which several cookies were joined by commas or line breaks.
  ///
  /// A comma ends a cookie if a name and "=" follow it. The comma of a date is followed by a day and a space or by a day of several parts.
  /// A line break ends one too, unless a semicolon precedes it or a space follows it: then it only folds the line (RFC 9112, 5.2).
  package static func split(_ joined: String) -> [Substring] {
    lines(joined[...]).flatMap { split(line: $0) }.map { $0.trimmingSpaces() }.filter { !$0.isEmpty }
  }

  /// The lines of `text`, with a space for each break that only folds one. Text without breaks, the common case, isn't copied.
  private static func lines(_ text: Substring) -> [Substring] {
    guard text.utf8.contains(where: isLineBreak) else { return [text] }
    var lines: [Substring] = []
    for piece in text.utf8.split(whereSeparator: isLineBreak).map({ Substring($0) }) {
      let isFolded = lines.last.map { $0.trimmingSpaces().utf8.last == UInt8(ascii: ";") } ?? false
      let isIndented = piece.utf8.first == 0x20 || piece.utf8.first == 0x09
      if let last = lines.popLast() {
        lines += isFolded || isIndented ? [last + " " + piece] : [last, piece]
      } else {
        lines = [piece]
      }
    }
    return lines
  }

  private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  private static func split(line joined: Substring) -> [Substring] {
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
    return parts
  }

  private static func startsCookie(_ rest: Substring.UTF8View) -> Bool {
    let trimmed = rest.drop { $0 == 0x20 || $0 == 0x09 }
    guard let end = trimmed.firstIndex(where: { !isToken($0) }) else { return false }
    return end != trimmed.startIndex && trimmed[end] == UInt8(ascii: "=")
  }

  /// Whether `byte` may be in a token (RFC 9110, 5.6.2).
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// The cookie in `field`, a line that `url` sent at `now`; nil if it has none or it must be ignored.
  ///
  /// `CookieJar` decides whether `url` may set a cookie for the domain that the field names.
  package static func parse(_ field: some StringProtocol, from url: CookieURL, now: Date) -> Cookie? {
    let field = Substring(field)
    guard !field.utf8.contains(where: CookieRules.isControl) else { return nil }
    var parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { Substring($0) }
    let pair = parts.removeFirst()
    guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let name = pair[..<equals].trimmingSpaces()
    let value = pair[pair.utf8.index(after: equals)...].trimmingSpaces()
    guard !name.isEmpty, name.utf8.count + value.utf8.count <= CookieRules.maximumSize else { return nil }
    var cookie = Cookie(name: String(name), value: String(value), domain: url.host, path: CookieRules.defaultPath(url.path))
    var attributes = Attributes()
    for part in parts { apply(part, to: &cookie, &attributes, url, now) }
    // RFC 6265bis, 5.7, step 21: `__Host-` demands an explicit `Path`; a default path of "/" isn't enough.
    if CookieRules.hasPrefix(name, "__host-"), !attributes.namesPath { return nil }
    // RFC 6265bis, 5.7, step 3: Max-Age takes precedence over Expires.
    cookie.expires = attributes.maximumAge ?? attributes.expires
    cookie.isSessionOnly = cookie.expires == nil
    return cookie
  }

  private struct Attributes {
    var expires: Date?
    var maximumAge: Date?
    var namesPath = false
  }

  /// Applies one attribute; of several with the same name the last counts, and unknown ones are ignored.
  private static func apply(
    _ part: Substring, to cookie: inout Cookie, _ attributes: inout Attributes, _ url: CookieURL, _ now: Date
  ) {
    let equals = part.utf8.firstIndex(of: UInt8(ascii: "="))
    let name = (equals.map { part[..<$0] } ?? part).trimmingSpaces().lowercased()
    let value = (equals.map { part[part.utf8.index(after: $0)...] } ?? "").trimmingSpaces()
    guard value.utf8.count <= CookieRules.maximumAttributeSize else { return }
    switch name {
    case "expires": attributes.expires = CookieDate.parse(value) ?? attributes.expires
    case "max-age": attributes.maximumAge = maximumAge(value).map { now.addingTimeInterval($0) } ?? attributes.maximumAge
    case "domain": cookie.domain = domain(value, from: url)
    case "path":
      attributes.namesPath = value.hasPrefix("/")
      cookie.path = attributes.namesPath ? String(value) : CookieRules.defaultPath(url.path)
    case "secure": cookie.isSecure = true
    case "httponly": cookie.isHTTPOnly = true
    case "samesite": cookie.sameSite = sameSite(value)
    case "comment": cookie.comment = value.isEmpty ? nil : String(value)
    case "commenturl": cookie.commentURL = URL(string: String(value))
    case "version": cookie.version = value == "1" ? 1 : 0
    default: break
    }
  }

  /// "lax" or "strict"; nil for "None" and unknown values (RFC 6265bis, 5.6.7).
  package static func sameSite(_ text: some StringProtocol) -> String? {
    let text = text.lowercased()
    return text == "lax" || text == "strict" ? text : nil
  }

  /// The value of `Max-Age` in seconds; nil if the text isn't an integer (RFC 6265bis, 5.6.2). A number too large for an integer means the
  /// longest time.
  package static func maximumAge(_ text: some StringProtocol) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Double(String(text)) else { return nil }
    return min(max(seconds, 0), 1e11)
  }

  /// The domain with a leading dot; the host itself if the attribute is empty, the address if it is one (RFC 6265bis, 5.6.3).
  private static func domain(_ value: Substring, from url: CookieURL) -> String {
    let name = (value.utf8.first == UInt8(ascii: ".") ? value.dropFirst() : value).lowercased()
    if name.isEmpty { return url.host }
    return CookieRules.isAddress(name) ? name : "." + name
  }
}
