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

  /// The fields of a request, as sent, that a response names in `Vary`: what is stored beside it. Never a login: a code takes its place.
  package static func nominated(_ head: ResponseHead, in fields: HeaderFields) -> HeaderFields {
    guard let names = names(head), !names.isEmpty else { return HeaderFields() }
    let nominated = fields.entries.filter { entry in names.contains { $0.equalsIgnoringCase(entry.name) } }
    return HeaderFields(nominated.map { entry in isLogin(entry.name) ? (name: entry.name, value: code(of: entry.value)) : entry })
  }

  /// - Parameter sent: The request's fields, as they will be sent; asked for only if a response varies.
  package static func matches(_ stored: StoredFacts, sent: () -> HeaderFields) -> Bool {
    guard stored.head.headers.contains("Vary") else { return true }
    guard let names = names(stored.head) else { return false }
    guard !names.isEmpty else { return true }
    let fields = sent()
    return names.allSatisfy { name in
      guard isLogin(name) else { return value(of: name, in: fields) == value(of: name, in: stored.requestFields) }
      let (login, kept) = (fields.joined(name), stored.requestFields.joined(name))
      // A caller that doesn't know the login that will be sent asks with the code that was stored.
      return login == kept || login.map(code) == kept
    }
  }

  private static func isLogin(_ name: String) -> Bool { name.isField("authorization") || name.isField("proxy-authorization") }

  /// What is stored in place of a login. The key is this process's alone: a reader of the cache can't try passwords on it, and another
  /// process loads such a response anew.
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

  /// RFC 9111, 4.1: fields match if they can be made the same by whitespace where their syntax allows it, by joining fields of one name,
  /// and by what is known to mean the same: language tags and codings compare without case. Order stays: servers read preference into it.
  private static func value(of name: String, in fields: HeaderFields) -> String? {
    guard let joined = fields.joined(name) else { return nil }
    let elements = FieldCursor.elements(of: joined[...]).map { String($0.trimmingSpaces()) }.filter { !$0.isEmpty }
    let text = elements.joined(separator: ", ")
    return name.isField("accept-language") || name.isField("accept-encoding") ? text.lowercased() : text
  }
}
