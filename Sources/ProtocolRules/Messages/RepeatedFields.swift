import Foundation
import LoadingModel

/// The fields of the previous head on a connection. Servers send most of them again with each response: the same names and values then share
/// their memory, and heads that are the same throughout share their array.
package struct RepeatedFields {
  /// The most fields that are kept; `lengthLimit` is the most bytes of their head.
  private static let fieldLimit = 64
  private static let lengthLimit = 8 * 1024

  private var fields: [HeaderFields.Entry] = []
  /// The index after the field that was found last: most fields come in the same order as before.
  private var next = 0
  /// How many of the first fields the head has had so far, while it has had no others.
  private(set) var sharedCount = 0

  /// Prepares for another head: the search begins with the first field again.
  mutating func rewind() {
    next = 0
    sharedCount = 0
  }

  /// Whether a field is the one that follows the shared ones, so that it is shared as well. Not to be called once there has been another.
  mutating func shares(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    guard sharedCount < fields.count, RepeatedFields.isSame(fields[sharedCount].name, name),
      RepeatedFields.isSame(fields[sharedCount].value, value)
    else { return false }
    sharedCount += 1
    next = sharedCount
    return true
  }

  /// The fields that are shared; none are afterwards. If all are, they are the array itself.
  mutating func takeShared() -> [HeaderFields.Entry] {
    defer { sharedCount = 0 }
    return sharedCount == fields.count ? fields : Array(fields[..<sharedCount])
  }

  /// - Parameter length: The length of the fields' head in bytes.
  mutating func keep(_ fields: [HeaderFields.Entry], length: Int) {
    guard fields.count <= RepeatedFields.fieldLimit, length <= RepeatedFields.lengthLimit else { return }
    self.fields = fields
    next = 0
  }

  /// The next field of the previous head with exactly this name; nil if there is none.
  mutating func field(_ name: UnsafeRawBufferPointer) -> HeaderFields.Entry? {
    for index in next..<fields.count where RepeatedFields.isSame(fields[index].name, name) {
      next = index + 1
      return fields[index]
    }
    return nil
  }

  /// Whether `bytes` are the UTF-8 form of `text`.
  package static func isSame(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard text.utf8.count == bytes.count else { return false }
    guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
    let result = text.utf8.withContiguousStorageIfAvailable { known in
      known.baseAddress.map { memcmp($0, start, known.count) == 0 } ?? false
    }
    return result ?? false
  }
}
