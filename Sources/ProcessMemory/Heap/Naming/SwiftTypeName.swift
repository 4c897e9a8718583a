/// The names of types in a program's memory, as in source code: `Shop.Cart<Shop.Item>`, `Swift.Int?`.
struct SwiftTypeName {
  let metadata: SwiftMetadata
  private static let deepest = 8

  private var memory: MemorySnapshot { metadata.memory }

  /// The name of the type with this metadata; nil if the metadata isn't valid.
  func name(_ address: UInt64, depth: Int = 0) -> String? {
    guard depth < SwiftTypeName.deepest, let kind = metadata.kind(address) else { return nil }
    switch kind {
    case .classType: return metadata.classDescriptor(address).flatMap { nominal(address, $0, depth) }
    case .structure, .enumeration, .optional:
      guard let descriptor = memory.word(at: address + 8) else { return nil }
      return nominal(address, descriptor, depth)
    case .foreignClass, .foreignReference: return memory.word(at: address + 8).flatMap { contextName($0) }
    case .tuple: return tuple(address, depth)
    case .function: return function(address, depth)
    case .existential: return existential(address)
    case .metatype, .existentialMetatype:
      return memory.word(at: address + 8).flatMap { name($0, depth: depth + 1) }.map { "\($0).Type" }
    case .opaque, .heapLocalVariable, .heapGenericLocalVariable, .errorObject, .task, .job: return nil
    }
  }

  /// The name of a context, such as a type, qualified by its enclosing contexts, without generic arguments.
  func contextName(_ descriptor: UInt64, depth: Int = 0) -> String? {
    guard depth < SwiftTypeName.deepest, let kind = metadata.contextKind(descriptor) else { return nil }
    let around = metadata.parent(descriptor).flatMap { contextName($0, depth: depth + 1) }
    switch kind {
    case .module, .proto, .classType, .structure, .enumeration:
      guard let own = metadata.ownName(descriptor) else { return nil }
      // Names of the standard library aren't qualified by the module name "Swift".
      guard let around, around != "Swift" else { return own }
      return "\(around).\(own)"
    case .extended: return extended(descriptor) ?? around
    case .anonymous, .opaque: return around
    }
  }

  /// The name of the type that an extension context extends.
  private func extended(_ descriptor: UInt64) -> String? {
    memory.relative(at: descriptor + 8).flatMap { SwiftTypeReference(metadata: metadata).name($0) }
  }

  private func nominal(_ address: UInt64, _ descriptor: UInt64, _ depth: Int) -> String? {
    guard let name = contextName(descriptor) else { return nil }
    let arguments = metadata.genericArguments(address, descriptor).map { self.name($0, depth: depth + 1) ?? "_" }
    if arguments.isEmpty { return name }
    switch (name, arguments.count) {
    case ("Optional", 1): return arguments[0].contains(" ") ? "(\(arguments[0]))?" : "\(arguments[0])?"
    case ("Array", 1): return "[\(arguments[0])]"
    case ("Dictionary", 2): return "[\(arguments[0]): \(arguments[1])]"
    default: break
    }
    return "\(name)<\(arguments.joined(separator: ", "))>"
  }

  private func tuple(_ address: UInt64, _ depth: Int) -> String? {
    guard let count = memory.word(at: address + 8), count <= 16 else { return nil }
    let elements = (0..<count).map { index in
      memory.word(at: address + 24 + index * 16).flatMap { name($0, depth: depth + 1) } ?? "_"
    }
    return "(\(elements.joined(separator: ", ")))"
  }

  private func function(_ address: UInt64, _ depth: Int) -> String? {
    guard let flags = memory.word(at: address + 8), flags & 0xFFFF <= 16 else { return nil }
    let types = (0...(flags & 0xFFFF)).map { index in
      memory.word(at: address + 16 + index * 8).flatMap { name($0, depth: depth + 1) } ?? "_"
    }
    return "(\(types.dropFirst().joined(separator: ", "))) -> \(types[0])"
  }

  private func existential(_ address: UInt64) -> String? {
    guard let flags: UInt32 = memory.value(at: address + 8), let count: UInt32 = memory.value(at: address + 12), count <= 16 else {
      return nil
    }
    let hasSuperclass = flags >> 30 & 1 == 1
    if count == 0, !hasSuperclass { return flags >> 31 == 1 ? "Any" : "AnyObject" }
    let names = (0..<UInt64(count) + (hasSuperclass ? 1 : 0)).map { index -> String in
      guard let word = memory.word(at: address + 16 + index * 8) else { return "_" }
      return (hasSuperclass && index == 0 ? name(word) : contextName(word)) ?? "_"
    }
    return "any \(names.joined(separator: " & "))"
  }
}
