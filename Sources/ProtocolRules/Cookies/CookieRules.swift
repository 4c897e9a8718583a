import Foundation
import LoadingModel

/// The matching rules of RFC 6265bis, 5.1, and its limits. Pure.
package enum CookieRules {
  /// Longest name and value together, in bytes, that a server may set (RFC 6265bis, 5.6, step 5).
  package static let maximumSize = 4096
  /// Longest value of an attribute, in bytes; a longer attribute is ignored (RFC 6265bis, 5.6, step 6 of the attributes).
  package static let maximumAttributeSize = 1024
  /// Longest life, in seconds, that a server can ask for: 400 days (RFC 6265bis, 5.5).
  package static let maximumLifetime = 400.0 * 86400

  /// Whether `host` is the one that `domain` names or, if `domain` has a leading dot, lies below it (RFC 6265bis, 5.1.3).
  package static func host(_ host: String, isCoveredBy domain: String) -> Bool {
    guard domain.utf8.first == UInt8(ascii: ".") else { return host == domain }
    let (hostBytes, domainBytes) = (host.utf8, domain.utf8)
    // A dot alone names no domain.
    guard domainBytes.count > 1 else { return false }
    if hostBytes.count == domainBytes.count - 1 { return hostBytes.elementsEqual(domainBytes.dropFirst()) }
    // RFC 6265bis, 5.1.3: "The string is a host name (i.e., not an IP address)."
    return hostBytes.count > domainBytes.count && hostBytes.suffix(domainBytes.count).elementsEqual(domainBytes) && !isAddress(host)
  }

  /// Whether `path` lies at or below `cookiePath` (RFC 6265bis, 5.1.4).
  package static func path(_ path: some StringProtocol, isCoveredBy cookiePath: String) -> Bool {
    let (bytes, prefix) = (path.utf8, cookiePath.utf8)
    if prefix.count == 1, prefix.first == UInt8(ascii: "/"), bytes.first == UInt8(ascii: "/") { return true }
    guard bytes.starts(with: prefix) else { return false }
    let rest = bytes.dropFirst(prefix.count)
    return rest.isEmpty || prefix.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
  }

  /// The value of a `Cookie` field with stored cookies and those that the request already has; nil if there are none.
  ///
  /// Of one name, a stored cookie with a date of expiry replaces those of the request, which have none; of cookies without such a date the one
  /// that was stored last is sent.
  package static func field(_ stored: [StoredCookie], beside brought: [AttachedCookie]) -> String? {
    let latest = Dictionary(brought.map { (name($0.pair), $0.stored) }, uniquingKeysWith: max)
    let lasting = Set(stored.filter { $0.cookie.expires != nil }.map { name($0.pair) })
    let kept = stored.filter { cookie in
      let name = name(cookie.pair)
      guard !lasting.contains(name), let other = latest[name] else { return true }
      return cookie.stored >= other
    }
    let names = Set(kept.map { name($0.pair) })
    let pairs = kept.map(\.pair) + brought.map(\.pair).filter { !names.contains(name($0)) }
    return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
  }

  private static func name(_ pair: String) -> Substring { pair.prefix { $0 != "=" } }

  /// The path of a cookie that names none: the directory of the request's path (RFC 6265bis, 5.1.4).
  package static func defaultPath(_ path: Substring) -> String {
    guard path.utf8.first == UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
      return "/"
    }
    return String(path[..<slash])
  }

  /// Whether `host` is an IPv4 or IPv6 literal.
  package static func isAddress(_ host: String) -> Bool {
    let bytes = host.utf8
    if bytes.contains(UInt8(ascii: ":")) { return true }
    // A short cut: an IPv4 literal ends with a digit, most names with a letter.
    guard let last = bytes.last, (0x30...0x39).contains(last) else { return false }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether `byte` is a control character; tab isn't one here (RFC 6265bis, 5.6, step 1).
  package static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

  static func hasPrefix(_ name: some StringProtocol, _ prefix: String) -> Bool {
    name.utf8.count >= prefix.utf8.count && zip(name.utf8, prefix.utf8).allSatisfy { $0.lowercasedASCII == $1 }
  }
}
