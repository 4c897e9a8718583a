import Foundation

/// Completes URLs that were typed without a scheme. Pure.
///
/// http is used for this machine and the local network: localhost, names without a dot, IP addresses, and names that end in .localhost, .local,
/// .internal, .home.arpa, .lan or .test. ftp is used for names that begin with "ftp.". All others get https.
enum TypedURL {
  private static let localEndings = [".localhost", ".local", ".internal", ".home.arpa", ".lan", ".test"]
  /// Schemes that are recognized without "//".
  private static let plainSchemes: Set<String> = ["data", "file"]

  /// Schemes behind which one slash, as in "http:/host", counts as two.
  private static let slashedSchemes: Set<String> = ["http", "https", "ftp", "ftps", "ws", "wss"]

  /// The URL with a scheme: its own, or the one that its host suggests.
  static func completed(_ text: String) -> String {
    guard !hasScheme(text) else { return withTwoSlashes(text) }
    if text.hasPrefix("//") { return completed(String(text.dropFirst(2))) }
    // As in httpie, ":3000/path" and ":/path" mean this machine.
    if text.hasPrefix(":"), !text.hasPrefix("::") {
      let rest = text.dropFirst()
      return "http://localhost" + (rest.first?.isNumber == true ? ":\(rest)" : String(rest))
    }
    return "\(scheme(of: text))://\(text)"
  }

  /// Whether `text` begins with a scheme. A host or a user before a colon isn't one: "host:8080", "user:password@host".
  static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":") else { return false }
    let scheme = text[..<colon]
    guard scheme.first?.isLetter == true, scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }) else {
      return false
    }
    let rest = text[text.index(after: colon)...]
    if rest.hasPrefix("//") || plainSchemes.contains(scheme.lowercased()) { return true }
    if rest.hasPrefix("/"), slashedSchemes.contains(scheme.lowercased()) { return true }
    let port = rest.prefix { !"/?#".contains($0) }
    if port.allSatisfy(\.isNumber) || port.contains("@") { return false }
    // A pattern such as [1-3] may stand for the port.
    if port.first == "[" || port.first == "{" { return false }
    return !scheme.contains(".")
  }

  /// The URL with a second slash behind its scheme if one is missing, as in curl.
  private static func withTwoSlashes(_ text: String) -> String {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, slashedSchemes.contains(parts[0].lowercased()), parts[1].hasPrefix("/"), !parts[1].hasPrefix("//") else {
      return text
    }
    return "\(parts[0]):/\(parts[1])"
  }

  private static func scheme(of text: String) -> String {
    let authority = text.prefix { !"/?#".contains($0) }
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    if place.hasPrefix("[") { return "http" }
    let host = place.prefix { $0 != ":" }.lowercased()
    if host.hasPrefix("ftp.") { return "ftp" }
    return isLocal(host) ? "http" : "https"
  }

  private static func isLocal(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 1 || localEndings.contains { host.hasSuffix($0) }
      || parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}
