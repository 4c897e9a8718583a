import Foundation
import LoadingModel

/// The use of one server nonce (RFC 7616, 3.4): counts the requests, and computes the `Authorization` field for each. A value that its owner
/// keeps.
package struct DigestSession: Sendable {
  package private(set) var challenge: DigestChallenge
  private var clientNonce: String
  /// Requests authorized with this nonce so far.
  private var count: UInt32 = 0

  /// - Parameter clientNonce: At least 64 random bits as text without quotes; the same for all requests with the server's nonce.
  package init(_ challenge: DigestChallenge, clientNonce: String) {
    self.challenge = challenge
    self.clientNonce = clientNonce
  }

  /// Whether `authorization` needs the body's hash, because the challenge asks for `auth-int`.
  package var needsBodyHash: Bool { challenge.quality == .authInt }

  /// Continues with a new nonce from the server (`nextnonce`, RFC 7616, 3.5); the count of requests restarts.
  package mutating func renew(nonce: String, clientNonce: String) {
    challenge.nonce = nonce
    self.clientNonce = clientNonce
    count = 0
  }

  /// The value of `Authorization` for the next request; nil for a user name or password with control characters, which can't be sent.
  ///
  /// - Parameter bodyHash: The hash of the body as sent, where `needsBodyHash`.
  package mutating func authorization(_ request: AuthorizedRequest, user: String, password: String, bodyHash: String? = nil) -> String? {
    guard !DigestSession.hasControls(user), !DigestSession.hasControls(password) else { return nil }
    count += 1
    let counter = String(repeating: "0", count: 8 - min(8, String(count, radix: 16).count)) + String(count, radix: 16)
    let realm = challenge.realm ?? ""
    var fields: [String] = []
    fields += userFields(user, realm)
    fields.append("realm=\(DigestSession.quoted(realm))")
    fields.append("uri=\(DigestSession.quoted(request.uri))")
    if let name = challenge.algorithmName { fields.append("algorithm=\(name)") }
    fields.append("nonce=\(DigestSession.quoted(challenge.nonce))")
    if let quality = qualityName {
      fields.append("nc=\(counter)")
      fields.append("cnonce=\(DigestSession.quoted(clientNonce))")
      fields.append("qop=\(quality)")
    }
    let proof = response(request, user: user, password: password, realm: realm, counter: counter, bodyHash: bodyHash)
    fields.append("response=\"\(proof)\"")
    if let opaque = challenge.opaque { fields.append("opaque=\(DigestSession.quoted(opaque))") }
    return "Digest " + fields.joined(separator: ", ")
  }

  private var qualityName: String? {
    switch challenge.quality {
    case .none: nil
    case .auth: "auth"
    case .authInt: "auth-int"
    }
  }

  /// The parameter `response`: the hash over credential, nonces and request (RFC 7616, 3.4.1 to 3.4.3).
  private func response(
    _ request: AuthorizedRequest, user: String, password: String, realm: String, counter: String, bodyHash: String?
  ) -> String {
    let hash = challenge.algorithm.hash
    var secret = hash("\(user):\(realm):\(password)")
    if challenge.isSession { secret = hash("\(secret):\(challenge.nonce):\(clientNonce)") }
    var message = "\(request.method):\(request.uri)"
    if challenge.quality == .authInt { message += ":\(bodyHash ?? hash(""))" }
    guard let quality = qualityName else { return hash("\(secret):\(challenge.nonce):\(hash(message))") }
    return hash("\(secret):\(challenge.nonce):\(counter):\(clientNonce):\(quality):\(hash(message))")
  }

  /// The parameters that name the user (RFC 7616, 3.4.4): the name hashed, or in the extended notation (RFC 5987) where it isn't ASCII and the
  /// server is new enough to know it.
  private func userFields(_ user: String, _ realm: String) -> [String] {
    if challenge.hashesUser {
      return ["username=\"\(challenge.algorithm.hash("\(user):\(realm)"))\"", "userhash=true"]
    }
    let isASCII = user.utf8.allSatisfy { $0 < 0x80 }
    guard !isASCII, challenge.isUTF8 || challenge.algorithm > .md5 else { return ["username=\(DigestSession.quoted(user))"] }
    let encoded = user.addingPercentEncoding(withAllowedCharacters: DigestSession.attributeCharacters) ?? ""
    return ["username*=UTF-8''\(encoded)"]
  }

  /// The characters that need no percent-encoding in the extended notation: attr-char (RFC 5987, 3.2.1).
  private static let attributeCharacters = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~")

  private static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else { return "\"\(text)\"" }
    return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  private static func hasControls(_ text: String) -> Bool { text.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
}

extension DigestSession {
  /// The `nextnonce` of an `Authentication-Info` field (RFC 7616, 3.5; RFC 7615); nil if there is none.
  package static func nextNonce(in headers: HeaderFields, _ name: String = "Authentication-Info") -> String? {
    guard let value = headers.joined(name) else { return nil }
    // The field has the syntax of a challenge's parameters, without a scheme: one is put before it, so that the parser reads it.
    var parser = AuthenticateParser("digest " + value)
    return parser.challenges().first?["nextnonce"]
  }
}
