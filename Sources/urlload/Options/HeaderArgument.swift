import Foundation

/// A header field as `-H` takes it.
enum HeaderArgument: Sendable, Equatable {
  /// 'Name: value', or 'Name;' with an empty value.
  case set(name: String, value: String)
  /// 'Name:'
  case remove(name: String)

  /// nil if there is no name.
  init?(_ text: String) {
    if let colon = text.firstIndex(of: ":") {
      let name = text[..<colon].trimmingCharacters(in: .whitespaces)
      let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      guard !name.isEmpty else { return nil }
      self = value.isEmpty ? .remove(name: name) : .set(name: name, value: value)
    } else {
      let name = text.trimmingCharacters(in: .whitespaces)
      guard name.count > 1, name.hasSuffix(";") else { return nil }
      self = .set(name: String(name.dropLast()), value: "")
    }
  }
}
