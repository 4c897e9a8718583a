import Cryptography
import Foundation

/// The URL of what a sidecar is about: as it may be kept on disk, and what tells it from others, which may differ in their users. Pure.
struct URLIdentity: Sendable, Equatable {
  /// Without a password, or without the user where there is no password.
  let masked: String
  /// Hexadecimal SHA-256 of the URL with its user, but without a password.
  let key: String
  private let hasUser: Bool

  init(_ url: String) {
    masked = Masking.url(url)
    key = HashFunction.sha256.hash(Data(URLIdentity.withoutPassword(url).utf8)).hexadecimal
    hasUser = masked != url
  }

  /// Whether a record is of this URL.
  /// - Parameters:
  ///   - masked: The record's URL.
  ///   - key: Its key; nil in records of older versions, which don't tell users apart.
  func matches(masked: String, key: String?) -> Bool { key.map { $0 == self.key } ?? (!hasUser && masked == self.masked) }

  private static func withoutPassword(_ url: String) -> String {
    guard let login = Masking.login(in: url), let colon = login.firstIndex(of: ":") else { return url }
    return "\(url[..<colon])\(url[login.endIndex...])"
  }
}
