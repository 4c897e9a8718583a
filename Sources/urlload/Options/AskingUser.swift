import Foundation
import URLLoadingSystem

/// Who asks for a resource: users of one URL may get different things, and each has uploads of his own. A token names none: that of the same user
/// is another tomorrow, and his upload is to go on.
enum AskingUser {
  /// The user whom the value of `Authorization` names: in front of the first colon of Basic's (RFC 7617, 2); nil for none.
  static func named(in authorization: String) -> String? {
    let words = authorization.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic", let pair = Data(base64Encoded: String(words[1])) else { return nil }
    let text = String(decoding: pair, as: UTF8.self)
    return text.firstIndex(of: ":").flatMap { $0 == text.startIndex ? nil : String(text[..<$0]) }
  }
}

extension RequestPlan {
  /// The user who asks by a request of the plan; nil where the URL alone says so.
  func user(of request: URLRequest) -> String? {
    if let value = request.value(forHTTPHeaderField: "Authorization") { return AskingUser.named(in: value) }
    return request.url.flatMap { answers.login(for: $0)?.user }
  }
}
