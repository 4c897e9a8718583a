import Cryptography
import Foundation

/// Identifies the URL that a sidecar is about, together with the user, without storing a password. Pure.
struct URLIdentity: Sendable, Equatable {
  /// The URL without password, or without user if there is no password, as it may be stored on disk.
  let masked: String
  /// SHA-256, in hexadecimal, of the URL with the user, but without password.
  let key: String
  private let hasUser: Bool

  /// - Parameter user: The user who makes the request; nil if only the URL may name one.
  init(_ url: String, user: String? = nil) {
    masked = Masking.url(url)
    key = HashFunction.sha256.hash(Data(URLIdentity.text(URLIdentity.withoutPassword(url), user).utf8)).hexadecimal
    hasUser = masked != url || user != nil
  }

  /// Whether a record is about this URL and user.
  /// - Parameters:
  ///   - masked: The record's URL.
  ///   - key: The record's key; nil in records of older versions, which don't distinguish users.
  func matches(masked: String, key: String?) -> Bool { key.map { $0 == self.key } ?? (!hasUser && masked == self.masked) }

  /// The URL with the user in it, whether the user was named in the URL or by an option.
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
