import Foundation

/// A session cookie of another process, which is sent with a request that this process makes for it.
package struct AttachedCookie: Sendable, Hashable {
  /// `name=value`, in the form of the `Cookie` field.
  package let pair: String
  /// When the other process stored the cookie: of two session cookies with the same name the later one is sent.
  package let stored: Date

  package init(_ pair: String, stored: Date) {
    self.pair = pair
    self.stored = stored
  }
}
