import Foundation

/// A cookie of another process, which goes along with a request.
package struct AttachedCookie: Sendable, Hashable {
  /// `name=value`, as the `Cookie` field has it.
  package let pair: String
  /// When that process stored it: of two cookies that end with their processes the later one is sent.
  package let stored: Date

  package init(_ pair: String, stored: Date) {
    self.pair = pair
    self.stored = stored
  }
}
