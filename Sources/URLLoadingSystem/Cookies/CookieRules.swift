import Foundation
import LoadingModel

/// The matching rules of RFC 6265, section 5.1, and which domain a site is. Pure.
enum CookieRules {
  /// Longest name and value together, in bytes, that a server may set (RFC 6265bis, 5.6).
  static let maximumSize = 4096

  /// Whether `host` is the one that `domain` names or, if it has a leading dot, lies below it (RFC 6265, 5.1.3).
  static func host(_ host: String, isCoveredBy domain: String) -> Bool {
    guard domain.hasPrefix(".") else { return host == domain }
    if host == domain.dropFirst() { return true }
    // "The string is a host name (i.e., not an IP address)."
    return host.hasSuffix(domain) && !isAddress(host)
  }

  /// Whether `path` lies at or below `cookiePath` (RFC 6265, 5.1.4).
  static func path(_ path: String, isCoveredBy cookiePath: String) -> Bool {
    guard path.hasPrefix(cookiePath) else { return false }
    return path.utf8.count == cookiePath.utf8.count || cookiePath.hasSuffix("/")
      || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
  }

  /// The path of a cookie that names none: the directory of the request's path (RFC 6265, 5.1.4).
  static func defaultPath(_ path: String) -> String {
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// An IPv4 or IPv6 literal.
  static func isAddress(_ host: String) -> Bool {
    if host.contains(":") { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether a cookie for every host below `domain` would be one for other people's hosts: a top-level domain or a country's registry.
  static func isPublicSuffix(_ domain: String) -> Bool {
    let labels = domain.split(separator: ".")
    switch labels.count {
    case 0, 1: return true
    case 2: return labels[1].utf8.count == 2 && registryLabels.contains(labels[0].lowercased())
    default: return false
    }
  }

  /// The domain that one owner holds: the public suffix and one label more; the host itself if it is an address or a single name.
  static func registrableDomain(_ host: String) -> String {
    if isAddress(host) { return host }
    let labels = host.split(separator: ".")
    guard labels.count > 2 else { return host }
    let lastTwo = labels.suffix(2).joined(separator: ".")
    return isPublicSuffix(lastTwo) ? labels.suffix(3).joined(separator: ".") : lastTwo
  }

  /// Whether `host` belongs to the site whose page is being loaded.
  static func isFirstParty(_ host: String, mainDocumentHost: String) -> Bool {
    registrableDomain(host) == registrableDomain(mainDocumentHost)
  }

  /// A control character; tab isn't one here (RFC 6265bis, 5.6, step 1).
  static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

  // Second-level labels under which country registries hand out names.
  private static let registryLabels: Set<String> = [
    "ac", "co", "com", "ed", "edu", "go", "gob", "gov", "gouv", "ltd", "mil", "ne", "net", "nom", "or", "org", "plc", "sch",
  ]
}
