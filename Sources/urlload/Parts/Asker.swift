import Cryptography
import Foundation
import URLLoadingSystem

/// Who asks for a resource: users of one URL may get different things, and each has uploads of his own. Holds no secret.
enum Asker: Sendable, Equatable {
  case user(String)
  /// Credentials that name no user, such as a token: their SHA-256, hexadecimal.
  case credentials(digest: String)

  /// Whom the value of `Authorization` is of.
  init(authorization value: String) {
    if let user = Asker.basicUser(value), !user.isEmpty {
      self = .user(user)
    } else {
      self = .credentials(digest: HashFunction.sha256.hash(Data(value.utf8)).hexadecimal)
    }
  }

  /// RFC 7617, 2: the user is what is in front of the first colon.
  private static func basicUser(_ value: String) -> String? {
    let words = value.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic", let pair = Data(base64Encoded: String(words[1])) else { return nil }
    let text = String(decoding: pair, as: UTF8.self)
    return text.firstIndex(of: ":").map { String(text[..<$0]) }
  }
}

extension RequestPlan {
  /// Who asks by a request of the plan; nil where the URL alone says so.
  func asker(of request: URLRequest) -> Asker? {
    if let value = request.value(forHTTPHeaderField: "Authorization") { return Asker(authorization: value) }
    return request.url.flatMap { answers.login(for: $0) }.map { .user($0.user) }
  }
}
