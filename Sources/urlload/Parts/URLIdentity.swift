import Cryptography
import Foundation

/// The URL of what a sidecar is about: as it may be kept on disk, and what tells it from others, which may differ in their users. Pure.
struct URLIdentity: Sendable, Equatable {
  /// Without a password, or without the user where there is no password.
  let masked: String
  /// Hexadecimal SHA-256 of the URL with the user who asks, but without a password.
  let key: String
  private let hasUser: Bool

  /// - Parameter user: Who asks; nil where the URL alone says so.
  init(_ url: String, user: String? = nil) {
    masked = Masking.url(url)
    key = HashFunction.sha256.hash(Data(URLIdentity.text(URLIdentity.withoutPassword(url), user).utf8)).hexadecimal
    hasUser = masked != url || user != nil
  }

  /// Whether a record is of this URL.
  /// - Parameters:
  ///   - masked: The record's URL.
  ///   - key: Its key; nil in records of older versions, which don't tell users apart.
  func matches(masked: String, key: String?) -> Bool { key.map { $0 == self.key } ?? (!hasUser && masked == self.masked) }

  /// A user counts the same whether he is named in the URL or beside it.
  private static func text(_ url: String, _ user: String?) -> String {
    let named = Masking.login(in: url)
    guard let user, named?.removingPercentEncoding != user, let scheme = url.range(of: "://") else { return url }
    let rest = named.map { url[$0.endIndex...].dropFirst() } ?? url[scheme.upperBound...]
    return "\(url[..<scheme.upperBound])\(user.addingPercentEncoding(withAllowedCharacters: .urlUserAllowed) ?? user)@\(rest)"
  }

  private static func withoutPassword(_ url: String) -> String {
    guard let login = Masking.login(in: url), let colon = login.firstIndex(of: ":") else { return url }
    return "\(url[..<colon])\(url[login.endIndex...])"
  }
}
