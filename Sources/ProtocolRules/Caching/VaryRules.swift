import Cryptography
import Foundation
import LoadingModel

/// Which of several responses stored for one URL fits a request (RFC 9111, 4.1).
package enum VaryRules {
  /// The field names in `Vary`; nil if it holds "*", which no request matches.
  package static func names(_ head: ResponseHead) -> [String]? {
    var result: [String] = []
    for (name, value) in head.headers.entries where name.isField("vary") {
      let fields = FieldCursor.tokens(of: value)
      if fields.contains("*") { return nil }
      result += fields
    }
    return result
  }

  /// The fields of a request, as sent, that a response names in `Vary`; they are stored with the response. A keyed hash takes the place of a
  /// login (`Authorization`).
  package static func nominated(_ head: ResponseHead, in fields: HeaderFields) -> HeaderFields {
    guard let names = names(head), !names.isEmpty else { return HeaderFields() }
    let nominated = fields.entries.filter { entry in names.contains { $0.equalsIgnoringCase(entry.name) } }
    return HeaderFields(nominated.map { entry in isLogin(entry.name) ? (name: entry.name, value: code(of: entry.value)) : entry })
  }

  /// - Parameter sent: The request's fields, as they will be sent; evaluated only if the stored response has `Vary`.
  package static func matches(_ stored: StoredFacts, sent: () -> HeaderFields) -> Bool {
    guard stored.head.headers.contains("Vary") else { return true }
    guard let names = names(stored.head) else { return false }
    guard !names.isEmpty else { return true }
    let fields = sent()
    return names.allSatisfy { name in
      guard isLogin(name) else { return value(of: name, in: fields) == value(of: name, in: stored.requestFields) }
      let (login, kept) = (fields.joined(name), stored.requestFields.joined(name))
      // A caller that doesn't know the login that will be sent passes the stored hash instead, which then equals `kept`.
      return login == kept || login.map(code) == kept
    }
  }

  private static func isLogin(_ name: String) -> Bool { name.isField("authorization") || name.isField("proxy-authorization") }

  /// The keyed hash that is stored in place of a login. Only this process has the key: a reader of the cache can't try passwords on the hash, and
  /// in another process such a response doesn't match and is loaded again.
  private static func code(of login: String) -> String {
    HashFunction.sha256.authenticationCode(of: Data(login.utf8), key: key).hexadecimal
  }

  private static let key = SealingKey().bytes

  /// The index of the response to use for a request: of those that match, the one with the latest `Date`.
  ///
  /// RFC 9111, 4: "When more than one suitable response is stored, a cache MUST use the most recent one".
  package static func select(_ stored: [StoredFacts], sent: () -> HeaderFields) -> Int? {
    var best: Int?
    for (index, candidate) in stored.enumerated() where matches(candidate, sent: sent) {
      guard let current = best else {
        best = index
        continue
      }
      let (date, other) = (candidate.reading.date, stored[current].reading.date)
      if date > other || (date == other && candidate.responseTime > stored[current].responseTime) { best = index }
    }
    return best
  }

  /// The value of a field in a form that can be compared (RFC 9111, 4.1): whitespace is normalised where the syntax allows it, fields of one name
  /// are joined, language tags and codings are in lower case. The order stays: servers read preference into it.
  private static func value(of name: String, in fields: HeaderFields) -> String? {
    guard let joined = fields.joined(name) else { return nil }
    let elements = FieldCursor.elements(of: joined[...]).map { String($0.trimmingSpaces()) }.filter { !$0.isEmpty }
    let text = elements.joined(separator: ", ")
    return name.isField("accept-language") || name.isField("accept-encoding") ? text.lowercased() : text
  }
}
