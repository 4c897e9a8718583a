import Foundation
import LoadingModel

/// What tells one version of a resource from another well enough to join parts of it (RFC 9110, 8.8.1: a strong validator).
package struct ResumeValidator: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case tag
    case date
  }

  package let kind: Kind
  /// As received; the value of `If-Range`.
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

  /// Nil if `date` isn't a date.
  package init?(date: String) {
    let date = date.trimmingSpaces()
    guard HTTPDate.parse(date, now: .distantPast) != nil else { return nil }
    self.init(.date, date)
  }

  /// The strongest validator in `headers`; nil if there is none that is strong.
  /// - Parameter received: Stands for a `Date` field that isn't there (RFC 9110, 6.6.1).
  package init?(_ headers: HeaderFields, received: Date) {
    if let tag = headers.first("ETag"), let validator = ResumeValidator(tag: tag) {
      self = validator
      return
    }
    // RFC 9110, 8.8.2.2: a date is strong if the resource could have been changed at most once in its second, so if the answer was made
    // at least a second later by the same clock, or so much later that the difference of two clocks doesn't matter.
    guard let modified = headers.first("Last-Modified"), let date = HTTPDate.parse(modified, now: received),
      let validator = ResumeValidator(date: modified)
    else { return nil }
    let sent = headers.first("Date").flatMap { HTTPDate.parse($0, now: received) }
    guard (sent ?? received).timeIntervalSince(date) >= (sent == nil ? 60 : 1) else { return nil }
    self = validator
  }

  /// What `ifRange` of another validator was; nil if `text` is no validator.
  package init?(ifRange text: String) {
    guard let validator = ResumeValidator(tag: text) ?? ResumeValidator(date: text) else { return nil }
    self = validator
  }

  /// Whether `headers` name another version of the resource. Fields that aren't there name none: RFC 9110, 15.3.7 lets the answer to a
  /// conditional range leave them out.
  package func isContradicted(by headers: HeaderFields) -> Bool {
    let current = headers.first(kind == .tag ? "ETag" : "Last-Modified")?.trimmingSpaces()
    return current.map { $0 != ifRange } ?? false
  }
}

extension String {
  /// Without characters that would end a field line.
  fileprivate var isFieldValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
