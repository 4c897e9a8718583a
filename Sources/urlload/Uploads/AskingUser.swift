import Foundation

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
