import Foundation

/// What one origin has said about where else it is served, in its order of preference.
package struct KnownAlternatives: Sendable, Hashable {
  /// One alternative, and how long it holds.
  package struct Entry: Sendable, Hashable {
    package var service: AlternativeService
    package var expires: Date
    /// Whether it holds on other networks, too.
    package var outlastsNetwork: Bool

    package init(_ service: AlternativeService, expires: Date, outlastsNetwork: Bool) {
      self.service = service
      self.expires = expires
      self.outlastsNetwork = outlastsNetwork
    }
  }

  package var entries: [Entry]
  /// When the origin said it.
  package var noted: Date

  package init(_ entries: [Entry], noted: Date) {
    self.entries = entries
    self.noted = noted
  }

  /// Whether `other` says the same for so nearly the same time that the difference isn't worth a write: servers repeat themselves with each
  /// response.
  func isRepeated(by other: KnownAlternatives) -> Bool {
    guard entries.count == other.entries.count else { return false }
    return zip(entries, other.entries).allSatisfy { old, new in
      let age = new.expires.timeIntervalSince(other.noted)
      return old.service == new.service && old.outlastsNetwork == new.outlastsNetwork
        && abs(new.expires.timeIntervalSince(old.expires)) < age / 20
    }
  }
}
