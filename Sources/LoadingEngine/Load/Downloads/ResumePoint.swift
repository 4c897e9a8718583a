import Foundation
import ProtocolRules

/// How a broken download can be resumed: its file, and the validator of the resource.
package struct ResumePoint: Sendable {
  /// The temporary file with the bytes received so far.
  package let file: URL
  /// The least number of bytes that are in the file.
  package let received: Int64
  /// The size of the whole resource in bytes; nil if unknown.
  package let total: Int64?
  package let validator: ResumeValidator

  package init(file: URL, received: Int64, total: Int64?, validator: ResumeValidator) {
    self.file = file
    self.received = received
    self.total = total
    self.validator = validator
  }
}
