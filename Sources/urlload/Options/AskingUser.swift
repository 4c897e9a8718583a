import Foundation
import URLLoadingSystem

/// Finds the user who makes a request, by whom interrupted uploads are told apart: users of one URL may have different resources. A token doesn't
/// identify a user here, because it changes while the upload is to go on.
enum AskingUser {
  /// The user name in the value of `Authorization`, for the scheme Basic (RFC 7617, 2); nil for other schemes.
  static func named(in authorization: String) -> String? {
    let words = authorization.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic", let pair = Data(base64Encoded: String(words[1])) else { return nil }
    let text = String(decoding: pair, as: UTF8.self)
    return text.firstIndex(of: ":").flatMap { $0 == text.startIndex ? nil : String(text[..<$0]) }
  }
}

extension RequestPlan {
  /// The user of a request, from its fields or its login; nil if only its URL may name one.
  func user(of request: URLRequest) -> String? {
    if let value = request.value(forHTTPHeaderField: "Authorization") { return AskingUser.named(in: value) }
    return request.url.flatMap { answers.login(for: $0)?.user }
  }
}
