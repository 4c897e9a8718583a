import Foundation
import URLLoadingSystem

/// Cookies as text, in Netscape's file format, which curl, wget and browser extensions read and write. Pure.
///
///     domain <tab> subdomains <tab> path <tab> secure <tab> expires <tab> name <tab> value
enum CookieFile {
  private static let hiddenPrefix = "#HttpOnly_"
  private static let head = """
    # Netscape HTTP Cookie File
    # Written by urlload. A reader of this file can act for you where its cookies are valid.


    """

  /// The cookies in `text` that haven't expired. Other lines are ignored.
  ///
  /// A line may also be a `Set-Cookie` field with a domain, as in curl.
  static func cookies(in text: String, now: Date) -> [HTTPCookie] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      let cookie = cookie(in: line)
      if let expires = cookie?.expiresDate, expires <= now { return nil }
      return cookie
    }
  }

  private static func cookie(in line: Substring) -> HTTPCookie? {
    if let field = line.range(of: "Set-Cookie:", options: [.caseInsensitive, .anchored]) { return received(line[field.upperBound...]) }
    let isHidden = line.hasPrefix(hiddenPrefix)
    guard isHidden || !line.hasPrefix("#") else { return nil }
    var fields = line.dropFirst(isHidden ? hiddenPrefix.count : 0).split(separator: "\t", omittingEmptySubsequences: false)
    // A cookie without a value may lack the last tab, too.
    if fields.count == 6 { fields.append("") }
    guard fields.count == 7, let expires = Double(fields[4]), expires.isFinite else { return nil }
    let host = fields[0].drop { $0 == "." }
    var properties: [HTTPCookiePropertyKey: Any] = [
      .domain: fields[1].uppercased() == "TRUE" ? ".\(host)" : String(host),
      .path: String(fields[2]),
      .name: String(fields[5]),
      .value: String(fields[6]),
    ]
    if fields[3].uppercased() == "TRUE" { properties[.secure] = "TRUE" }
    // An expiry time of 0 stands for a session cookie.
    if expires > 0 { properties[.expires] = Date(timeIntervalSince1970: expires) }
    if isHidden { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    return HTTPCookie(properties: properties)
  }

  private static func received(_ field: Substring) -> HTTPCookie? {
    let domain = field.split(separator: ";").lazy.map { $0.trimmingCharacters(in: .whitespaces) }
      .first { $0.lowercased().hasPrefix("domain=") }
    guard let host = domain?.dropFirst(7).drop(while: { $0 == "." }), let url = URL(string: "https://\(host)/") else { return nil }
    return HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": String(field)], for: url).first
  }

  /// The text of a cookie file with `cookies`, session cookies included.
  static func text(_ cookies: [HTTPCookie]) -> String {
    let sorted = cookies.sorted { ($0.domain, $0.path, $0.name) < ($1.domain, $1.path, $1.name) }
    return head + sorted.compactMap(line).map { "\($0)\n" }.joined()
  }

  private static func line(_ cookie: HTTPCookie) -> String? {
    let expires = cookie.expiresDate.map { Int64(max(1, min($0.timeIntervalSince1970, 253_402_300_799))) } ?? 0
    let fields = [
      cookie.domain, cookie.domain.hasPrefix(".") ? "TRUE" : "FALSE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE", String(expires),
      cookie.name, cookie.value,
    ]
    // A tab or line break in a value would change the cookie when it is read: such a cookie is left out.
    guard fields.allSatisfy({ !$0.contains { $0 == "\t" || $0.isNewline } }) else { return nil }
    return (cookie.isHTTPOnly ? hiddenPrefix : "") + fields.joined(separator: "\t")
  }
}

/// The value of `--cookie`: cookies, or the name of a file. Pure.
enum CookieArgument: Sendable, Equatable {
  case pairs([Pair])
  case file(String)

  struct Pair: Sendable, Equatable {
    let name: String
    let value: String
  }

  /// Whether the text has cookies without a name, which no storage of cookies takes.
  static func hasNameless(_ text: String) -> Bool {
    text.contains("=")
      && text.split(separator: ";").contains { part in
        let trimmed = part.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.hasPrefix("=") || !trimmed.isEmpty && !trimmed.contains("=")
      }
  }

  /// A text with an equals sign has cookies, any other one is the name of a file, as in curl.
  init(_ text: String) {
    guard text.contains("=") else {
      self = .file(text)
      return
    }
    self = .pairs(
      text.split(separator: ";").compactMap { part in
        let trimmed = part.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let sign = trimmed.firstIndex(of: "="), sign > trimmed.startIndex else { return nil }
        return Pair(name: String(trimmed[..<sign]), value: String(trimmed[trimmed.index(after: sign)...]))
      })
  }
}

extension CookieArgument.Pair {
  /// The pair as a session cookie of the URL's host, for all paths.
  func cookie(for url: URL) -> HTTPCookie? {
    guard let host = url.host() else { return nil }
    return HTTPCookie(properties: [.name: name, .value: value, .domain: host, .path: "/"])
  }
}
