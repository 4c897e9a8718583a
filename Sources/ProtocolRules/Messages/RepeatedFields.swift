import Foundation
import LoadingModel

/// The fields of the head that a connection brought last. Servers send most of them again with each response: names and values that are the
/// same share their memory.
struct RepeatedFields {
  /// Fields, and bytes of their head, that are kept at most.
  private static let fieldLimit = 64
  private static let lengthLimit = 8 * 1024

  private var fields: [HeaderFields.Entry] = []
  /// Behind the field that was found last: most come in the same order.
  private var next = 0

  /// Another head begins.
  mutating func rewind() { next = 0 }

  /// - Parameter length: Of their head, in bytes.
  mutating func keep(_ fields: [HeaderFields.Entry], length: Int) {
    guard fields.count <= RepeatedFields.fieldLimit, length <= RepeatedFields.lengthLimit else { return }
    self.fields = fields
    next = 0
  }

  /// The next field with exactly this name.
  mutating func field(_ name: UnsafeRawBufferPointer) -> HeaderFields.Entry? {
    for index in next..<fields.count where RepeatedFields.isSame(fields[index].name, name) {
      next = index + 1
      return fields[index]
    }
    return nil
  }

  /// Whether these are the UTF-8 of the string.
  static func isSame(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard text.utf8.count == bytes.count else { return false }
    guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
    let result = text.utf8.withContiguousStorageIfAvailable { known in
      known.baseAddress.map { memcmp($0, start, known.count) == 0 } ?? false
    }
    return result ?? false
  }
}
