import Foundation
import ProtocolRules

/// Removes credentials from what the tool shows. Pure.
enum Masking {
  /// What is masked.
  enum Degree: Sendable {
    case secrets
    /// Nothing (`--show-secrets`).
    case nothing
  }

  private static let mask = "***"
  /// Names of header fields with secrets, the same that recordings leave out.
  private static let secretNames = SecretNames()
  /// A field whose name contains one of these words counts as secret, too.
  private static let secretWords = ["api-key", "apikey", "auth-token", "access-token", "secret"]

  /// "Name: value" of a header field, in which the value's secret part is masked.
  static func field(_ name: String, _ value: String, _ degree: Degree = .secrets) -> String {
    guard degree == .secrets else { return "\(name): \(value)" }
    let lowercased = name.lowercased()
    switch lowercased {
    case "authorization", "proxy-authorization":
      // The scheme stays, because it isn't secret.
      let scheme = value.split(separator: " ", maxSplits: 1)
      return "\(name): " + (scheme.count == 2 ? "\(scheme[0]) \(mask)" : mask)
    case "cookie":
      return "\(name): " + value.split(separator: ";").map(pair).joined(separator: "; ")
    case "set-cookie":
      let parts = value.split(separator: ";", maxSplits: 1)
      return "\(name): " + (parts.first.map(pair) ?? mask) + (parts.count == 2 ? ";\(parts[1])" : "")
    case "location", "referer", "content-location": return "\(name): \(url(value))"
    case _ where secretNames.contains(name) || secretWords.contains(where: lowercased.contains): return "\(name): \(mask)"
    default: return "\(name): \(value)"
    }
  }

  /// The URL with its password masked, or with its user masked if there is no password, because the user is a token then.
  static func url(_ text: String, _ degree: Degree = .secrets) -> String {
    guard degree == .secrets else { return text }
    guard let user = login(in: text), !user.isEmpty else { return text }
    let rest = text[user.endIndex...]
    if let colon = user.firstIndex(of: ":"), user.index(after: colon) < user.endIndex { return "\(text[...colon])\(mask)\(rest)" }
    return "\(text[..<user.startIndex])\(mask)\(rest)"
  }

  /// The part of a URL's authority before the "@": the user, and after a colon the password. nil without an "@".
  static func login(in url: String) -> Substring? {
    guard let scheme = url.range(of: "://") else { return nil }
    let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
    return authority.lastIndex(of: "@").map { authority[..<$0] }
  }

  private static func pair(_ text: Substring) -> String {
    // Without `=`, it is the value of a cookie that has no name.
    guard let equals = text.firstIndex(of: "=") else { return mask }
    return "\(text[..<equals].trimmingCharacters(in: .whitespaces))=\(mask)"
  }
}

/// Makes text from other sources safe for a terminal. Pure.
enum Printable {
  /// `text` with its control characters, which could control the terminal, replaced.
  static func text(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control && scalar != "\t"
      result.append(isControl || scalar.properties.isBidiControl ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}
