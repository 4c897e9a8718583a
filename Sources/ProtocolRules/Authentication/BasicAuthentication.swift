import Foundation

/// The Basic scheme (RFC 7617).
package enum BasicAuthentication {
  /// The value of `Authorization`; nil for a user name or password that the scheme can't carry.
  ///
  /// User name and password are sent as UTF-8, whether or not the server says `charset="UTF-8"` (RFC 7617, 2.1): no other encoding can carry all
  /// characters.
  package static func authorization(user: String, password: String) -> String? {
    // RFC 7617, 2: "a user-id containing a colon character is invalid", and neither may have control characters.
    guard !user.utf8.contains(UInt8(ascii: ":")), !hasControls(user), !hasControls(password) else { return nil }
    return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }

  private static func hasControls(_ text: String) -> Bool { text.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
}
