import Foundation
import LoadingModel

/// A strong validator (RFC 9110, 8.8.1): it tells versions of a resource apart well enough to join parts of it.
package struct ResumeValidator: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case tag
    case date
  }

  package let kind: Kind
  /// The validator as received, which is the value of `If-Range`.
  package let ifRange: String

  private init(_ kind: Kind, _ ifRange: String) {
    self.kind = kind
    self.ifRange = ifRange
  }

  /// Nil if `tag` isn't a strong entity tag.
  package init?(tag: String) {
    let tag = tag.trimmingSpaces()
    guard tag.utf8.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\""), tag.isFieldValue else { return nil }
    self.init(.tag, tag)
  }

  /// Nil if `date` isn't an HTTP date.
  package init?(date: String) {
    let date = date.trimmingSpaces()
    guard HTTPDate.parse(date, now: .distantPast) != nil else { return nil }
    self.init(.date, date)
  }

  /// The strongest validator in `headers`; nil if there is none that is strong.
  /// - Parameter received: When the response arrived; takes the place of a missing `Date` field (RFC 9110, 6.6.1).
  package init?(_ headers: HeaderFields, received: Date) {
    if let tag = headers.first("ETag"), let validator = ResumeValidator(tag: tag) {
      self = validator
      return
    }
    // RFC 9110, 8.8.2.2: a date is strong only if the resource can't have changed again within its second. That is so if the response was made at
    // least a second later by the same clock, or, without `Date`, 60 seconds later by this machine's clock.
    guard let modified = headers.first("Last-Modified"), let date = HTTPDate.parse(modified, now: received),
      let validator = ResumeValidator(date: modified)
    else { return nil }
    let sent = headers.first("Date").flatMap { HTTPDate.parse($0, now: received) }
    guard (sent ?? received).timeIntervalSince(date) >= (sent == nil ? 60 : 1) else { return nil }
    self = validator
  }

  /// Restores a validator from its `ifRange` text; nil if `text` isn't a validator.
  package init?(ifRange text: String) {
    guard let validator = ResumeValidator(tag: text) ?? ResumeValidator(date: text) else { return nil }
    self = validator
  }

  /// Whether `headers` name another version of the resource. A missing field contradicts nothing: RFC 9110, 15.3.7 lets the response to a
  /// conditional range leave validators out.
  package func isContradicted(by headers: HeaderFields) -> Bool {
    let current = headers.first(kind == .tag ? "ETag" : "Last-Modified")?.trimmingSpaces()
    return current.map { $0 != ifRange } ?? false
  }
}

extension String {
  /// Whether the text has no control characters, which could end a field line.
  fileprivate var isFieldValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
