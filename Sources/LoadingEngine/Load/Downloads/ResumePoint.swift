import Foundation
import ProtocolRules

/// Where a broken download can be resumed, and what must still be true then.
package struct ResumePoint: Sendable {
  /// The temporary file with what has arrived.
  package let file: URL
  /// Bytes that are in the file at least.
  package let received: Int64
  /// Bytes of the whole resource; nil if unknown.
  package let total: Int64?
  package let validator: ResumeValidator

  package init(file: URL, received: Int64, total: Int64?, validator: ResumeValidator) {
    self.file = file
    self.received = received
    self.total = total
    self.validator = validator
  }
}
