/// Type references in reflection metadata: mangled names, in which a type of the program is a control character and the relative address of its
/// descriptor.
struct SwiftTypeReference {
  let metadata: SwiftMetadata

  /// Attributes of functions and parameters in demangled names that are left out, because they don't help a reader.
  private static let conventions = [
    "@escaping ", "@callee_guaranteed ", "@in_guaranteed ", "@guaranteed ", "@owned ", "@out ", "@substituted ", "@unowned ", "@inout ",
  ]

  /// How a stored property refers to its object.
  enum Ownership: Sendable {
    case strong
    case weak
    case unowned
    case unmanaged
    /// The property is an integer, whose value only looks like an address.
    case none
  }

  /// The bytes of a mangled name up to its zero byte. A control character up to 0x17 is followed by four bytes of an address, one from 0x18 to 0x1F
  /// by eight.
  private func bytes(_ address: UInt64) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < 1024, let byte = metadata.memory.byte(at: address &+ UInt64(bytes.count)), byte != 0 {
      bytes.append(byte)
      let following: UInt64 = byte < 0x18 ? 4 : byte < 0x20 ? 8 : 0
      for _ in 0..<following {
        guard let next = metadata.memory.byte(at: address &+ UInt64(bytes.count)) else { return nil }
        bytes.append(next)
      }
    }
    return bytes.isEmpty ? nil : bytes
  }

  func ownership(_ address: UInt64) -> Ownership {
    guard let bytes = bytes(address), bytes.count >= 2 else { return .strong }
    if bytes == Array("Si".utf8) || bytes == Array("Su".utf8) { return .none }
    guard bytes[bytes.count - 2] == UInt8(ascii: "X") else { return .strong }
    return switch bytes[bytes.count - 1] {
    case UInt8(ascii: "w"): .weak
    case UInt8(ascii: "o"): .unowned
    case UInt8(ascii: "u"): .unmanaged
    default: .strong
    }
  }

  /// The name of the type that a reference describes; nil if it can't be demangled.
  func name(_ address: UInt64) -> String? {
    guard let bytes = bytes(address) else { return nil }
    var text: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      guard byte < 0x20 else {
        text.append(byte)
        index += 1
        continue
      }
      let place = address &+ UInt64(index) &+ 1
      guard byte == 1 || byte == 2, var descriptor = metadata.memory.relative(at: place) else { return nil }
      if byte == 2 {
        guard let target = metadata.memory.word(at: descriptor) else { return nil }
        descriptor = target
      }
      guard let mangled = mangled(descriptor) else { return nil }
      text += mangled
      index += 5
    }
    let whole = "$s" + String(decoding: text, as: UTF8.self) + "D"
    guard let name = SwiftDemangling.text(whole), name != whole else { return nil }
    return SwiftTypeReference.conventions.reduce(name.replacing("Swift.", with: "")) { $0.replacing($1, with: "") }
  }

  /// The mangled name of a context: each name preceded by its length and followed by a letter for its kind.
  private func mangled(_ descriptor: UInt64, depth: Int = 0) -> [UInt8]? {
    guard depth < 8, let kind = metadata.contextKind(descriptor) else { return nil }
    let around = metadata.parent(descriptor).flatMap { mangled($0, depth: depth + 1) }
    let letter: String
    switch kind {
    case .anonymous, .extended, .opaque: return around
    case .module: letter = ""
    case .proto: letter = "P"
    case .classType: letter = "C"
    case .structure: letter = "V"
    case .enumeration: letter = "O"
    }
    guard let name = metadata.ownName(descriptor) else { return nil }
    if kind == .module, name == "Swift" { return Array("s".utf8) }
    return (around ?? []) + Array("\(name.utf8.count)\(name)\(letter)".utf8)
  }
}
