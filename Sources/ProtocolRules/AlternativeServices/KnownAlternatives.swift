import Foundation

/// The alternative services that one origin has advertised, in its order of preference.
package struct KnownAlternatives: Sendable, Hashable {
  /// One alternative service, and when it expires.
  package struct Entry: Sendable, Hashable {
    package var service: AlternativeService
    package var expires: Date
    /// Whether the entry is kept when the network changes (`persist=1`).
    package var outlastsNetwork: Bool

    package init(_ service: AlternativeService, expires: Date, outlastsNetwork: Bool) {
      self.service = service
      self.expires = expires
      self.outlastsNetwork = outlastsNetwork
    }
  }

  package var entries: [Entry]
  /// When the response that advertised the alternatives arrived.
  package var noted: Date

  package init(_ entries: [Entry], noted: Date) {
    self.entries = entries
    self.noted = noted
  }

  /// Whether `other` has the same alternatives, with expiry dates that differ by less than 5 % of the lifetime: servers repeat the field in each
  /// response, and so small a difference isn't worth a write to disk.
  func isRepeated(by other: KnownAlternatives) -> Bool {
    guard entries.count == other.entries.count else { return false }
    return zip(entries, other.entries).allSatisfy { old, new in
      let age = new.expires.timeIntervalSince(other.noted)
      return old.service == new.service && old.outlastsNetwork == new.outlastsNetwork
        && abs(new.expires.timeIntervalSince(old.expires)) < age / 20
    }
  }
}
