/// Reads the Swift runtime's type metadata in a program's memory. Its layout is part of Swift's ABI on Linux (stable in practice, not by promise).
/// Neither the program's symbols nor its runtime are needed, so a stripped program with a static runtime can be read too.
///
/// A heap object begins with the address of its metadata. Every word is validated before it is used.
struct SwiftMetadata {
  /// The kinds of metadata, by the value of their first word.
  enum Kind: UInt64 {
    case classType = 0
    case structure = 0x200
    case enumeration = 0x201
    case optional = 0x202
    case foreignClass = 0x203
    case foreignReference = 0x204
    case opaque = 0x300
    case tuple = 0x301
    case function = 0x302
    case existential = 0x303
    case metatype = 0x304
    case existentialMetatype = 0x306
    /// The metadata of captured variables: of a closure's context, or of a box.
    case heapLocalVariable = 0x400
    case heapGenericLocalVariable = 0x500
    case errorObject = 0x501
    case task = 0x502
    case job = 0x503
  }

  /// The kinds of context descriptors.
  enum ContextKind: UInt32 {
    case module = 0
    case extended = 1
    case anonymous = 2
    case proto = 3
    case opaque = 4
    case classType = 16
    case structure = 17
    case enumeration = 18
  }

  let memory: MemorySnapshot

  func kind(_ metadata: UInt64) -> Kind? {
    guard metadata != 0, metadata % 8 == 0, let word = memory.word(at: metadata) else { return nil }
    return Kind(rawValue: word)
  }

  func contextKind(_ descriptor: UInt64) -> ContextKind? {
    guard let flags: UInt32 = memory.value(at: descriptor) else { return nil }
    return ContextKind(rawValue: flags & 0x1F)
  }

  func isGeneric(_ descriptor: UInt64) -> Bool { (memory.value(at: descriptor, as: UInt32.self) ?? 0) & 0x80 != 0 }

  /// The name in a context descriptor, if it could have been written by a compiler; otherwise nil.
  func ownName(_ descriptor: UInt64) -> String? {
    guard let address = memory.relative(at: descriptor + 8), let bytes = memory.string(at: address), !bytes.isEmpty else { return nil }
    guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  func parent(_ descriptor: UInt64) -> UInt64? { memory.indirectRelative(at: descriptor + 4) }

  // MARK: - Classes

  /// The descriptor of a class, by the address of its metadata; nil if that isn't valid class metadata.
  ///
  ///     -16 destroy  -8 value witnesses  0 kind  8 superclass  16 flags, address point  24 instance size, alignment mask
  ///     32 class size, address point  40 descriptor  48 destroyer of variables  56 members
  func classDescriptor(_ metadata: UInt64) -> UInt64? {
    guard kind(metadata) == .classType, let parent = memory.word(at: metadata + 8), parent % 8 == 0,
      let size: UInt32 = memory.value(at: metadata + 24), size >= 16, let mask: UInt16 = memory.value(at: metadata + 28),
      (mask & (mask &+ 1)) == 0, let wholeSize: UInt32 = memory.value(at: metadata + 32),
      let addressPoint: UInt32 = memory.value(at: metadata + 36), addressPoint >= 16, addressPoint < wholeSize, wholeSize < 1 << 20,
      let descriptor = memory.word(at: metadata + 40), descriptor % 4 == 0, descriptor != 0, contextKind(descriptor) == .classType,
      ownName(descriptor) != nil
    else { return nil }
    return descriptor
  }

  func instanceSize(_ metadata: UInt64) -> UInt64 { UInt64(memory.value(at: metadata + 24, as: UInt32.self) ?? 0) }

  func superclass(_ metadata: UInt64) -> UInt64? { memory.word(at: metadata + 8).flatMap { $0 == 0 ? nil : $0 } }

  private func classFlag(_ descriptor: UInt64, _ bit: UInt32) -> Bool {
    (memory.value(at: descriptor, as: UInt32.self) ?? 0) >> (16 + bit) & 1 == 1
  }

  /// Whether the size of the superclass is only known at run time, because the superclass is in a resilient module.
  func hasResilientSuperclass(_ descriptor: UInt64) -> Bool { classFlag(descriptor, 13) }

  /// The offset of the class's own members from its metadata, in bytes; nil if it can't be read.
  func membersOffset(_ descriptor: UInt64) -> Int64? {
    if hasResilientSuperclass(descriptor) {
      return memory.relative(at: descriptor + 24).flatMap { memory.value(at: $0, as: Int64.self) }
    }
    guard let negative: UInt32 = memory.value(at: descriptor + 24), let positive: UInt32 = memory.value(at: descriptor + 28),
      let own: UInt32 = memory.value(at: descriptor + 32)
    else { return nil }
    return classFlag(descriptor, 12) ? -Int64(negative) * 8 : (Int64(positive) - Int64(own)) * 8
  }

  // MARK: - Generic arguments

  /// The metadata of the generic arguments of a type; empty if the type isn't generic.
  func genericArguments(_ metadata: UInt64, _ descriptor: UInt64) -> [UInt64] {
    guard isGeneric(descriptor), let context = contextKind(descriptor) else { return [] }
    // The generic context's header follows the fixed part of the descriptor.
    let header: UInt64 = descriptor + (context == .classType ? 44 : 28)
    guard let count: UInt16 = memory.value(at: header + 8), count <= 32 else { return [] }
    var first = metadata + 16
    if context == .classType {
      guard let offset = membersOffset(descriptor) else { return [] }
      first = metadata &+ UInt64(bitPattern: offset)
    }
    var arguments: [UInt64] = []
    for index in 0..<UInt64(count) {
      // A parameter that a same-type requirement equates with another one has no argument of its own.
      guard let parameter: UInt8 = memory.value(at: header + 16 + index), parameter & 0x80 != 0 else { continue }
      guard parameter & 0x3F == 0, let argument = memory.word(at: first &+ UInt64(arguments.count) * 8) else { break }
      arguments.append(argument)
    }
    return arguments
  }

  /// The size of values of a type, and their distance in an array (stride), from its value witness table.
  func layout(_ metadata: UInt64) -> (size: UInt64, stride: UInt64)? {
    guard let witnesses = memory.word(at: metadata &- 8), let size = memory.word(at: witnesses &+ 64),
      let stride = memory.word(at: witnesses &+ 72), size <= stride, stride > 0, stride < 1 << 30
    else { return nil }
    return (size, stride)
  }
}
