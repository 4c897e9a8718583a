/// A key that was pressed at a terminal.
enum TypedKey: Sendable, Equatable {
  case character(Character)
  case enter
  case left, right, up, down
  case begin, end
  case wordLeft, wordRight
  case backspace, delete
  case eraseWord, eraseToBegin, eraseToEnd
  /// Ctrl-D: on an empty line the end of the input, otherwise the same as `delete`.
  case endOfInput
  case redraw
}

/// Parses a terminal's bytes into keys: UTF-8, control characters, and the escape sequences of ECMA-48 and xterm. A value.
struct KeyParser: Sendable {
  private var pending: [UInt8] = []

  /// The keys that are complete with these bytes.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [TypedKey] {
    var keys: [TypedKey] = []
    for byte in bytes {
      pending.append(byte)
      guard let key = whole() else { continue }
      pending = []
      if let key { keys.append(key) }
    }
    return keys
  }

  /// The key that the pending bytes stand for. The outer optional is nil if they are incomplete, the inner one if they mean no key.
  private func whole() -> TypedKey?? {
    switch pending[0] {
    case 0x1B: sequence()
    case 0..<0x20, 0x7F: .some(KeyParser.control(pending[0]))
    default: character()
    }
  }

  private static func control(_ byte: UInt8) -> TypedKey? {
    switch byte {
    case 0x01: .begin
    case 0x02: .left
    case 0x04: .endOfInput
    case 0x05: .end
    case 0x06: .right
    case 0x08, 0x7F: .backspace
    case 0x09: .character("\t")
    case 0x0A, 0x0D: .enter
    case 0x0B: .eraseToEnd
    case 0x0C: .redraw
    case 0x0E: .down
    case 0x10: .up
    case 0x15: .eraseToBegin
    case 0x17: .eraseWord
    default: nil
    }
  }

  private func character() -> TypedKey?? {
    let length = pending[0] < 0x80 ? 1 : pending[0] < 0xE0 ? 2 : pending[0] < 0xF0 ? 3 : 4
    // The bytes aren't UTF-8: a wrong first byte, or a wrong continuation byte.
    guard pending[0] < 0x80 || pending[0] >= 0xC2, pending.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return .some(nil) }
    guard pending.count >= length else { return nil }
    return .some(String(validating: pending, as: UTF8.self)?.first.map { .character($0) })
  }

  private func sequence() -> TypedKey?? {
    guard pending.count > 1 else { return nil }
    switch pending[1] {
    case UInt8(ascii: "b"): return .some(.wordLeft)
    case UInt8(ascii: "f"): return .some(.wordRight)
    case 0x7F: return .some(.eraseWord)
    case UInt8(ascii: "O"):
      guard pending.count > 2 else { return nil }
      return .some(KeyParser.final(pending[2], []))
    case UInt8(ascii: "["):
      guard let last = pending.dropFirst(2).last, 0x40...0x7E ~= last else { return pending.count > 16 ? .some(nil) : nil }
      let numbers = String(decoding: pending[2..<(pending.count - 1)], as: UTF8.self).split(separator: ";").map { Int($0) ?? 0 }
      return .some(KeyParser.final(last, numbers))
    default: return .some(nil)
    }
  }

  private static func final(_ byte: UInt8, _ numbers: [Int]) -> TypedKey? {
    // Modifiers of xterm: 5 stands for Ctrl, 3 for Alt.
    let isWord = numbers.count > 1 && (numbers[1] == 5 || numbers[1] == 3)
    return switch (Character(Unicode.Scalar(byte)), numbers.first) {
    case ("A", _): .up
    case ("B", _): .down
    case ("C", _): isWord ? .wordRight : .right
    case ("D", _): isWord ? .wordLeft : .left
    case ("H", _), ("~", 1), ("~", 7): .begin
    case ("F", _), ("~", 4), ("~", 8): .end
    case ("~", 3): .delete
    default: nil
    }
  }
}
