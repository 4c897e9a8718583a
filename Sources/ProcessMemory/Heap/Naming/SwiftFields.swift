/// The stored properties of Swift classes, from the reflection metadata. A program that was built without it (`-disable-reflection-metadata`) has
/// none.
final class SwiftFields {
  /// A stored property of a class.
  struct Field {
    let offset: UInt64
    let name: String
    let ownership: SwiftTypeReference.Ownership
  }

  private let metadata: SwiftMetadata
  private var known: [UInt64: [Field]] = [:]
  /// The compiler's prefix of the storage of a lazy property.
  private static let lazyPrefix = "$__lazy_storage_$_"
  private static let longestChain = 32

  init(_ metadata: SwiftMetadata) { self.metadata = metadata }

  /// The stored property of a class that contains an offset in an instance. `address` is the class's metadata.
  func field(_ address: UInt64, at offset: UInt64) -> Field? {
    let fields = fields(address)
    return fields.last { $0.offset <= offset }
  }

  /// All stored properties of a class, including those of its superclasses, sorted by offset.
  func fields(_ address: UInt64) -> [Field] {
    if let fields = known[address] { return fields }
    var fields: [Field] = []
    var next: UInt64? = address
    for _ in 0..<SwiftFields.longestChain {
      guard let current = next, let descriptor = metadata.classDescriptor(current) else { break }
      fields += own(current, descriptor)
      next = metadata.superclass(current)
    }
    fields.sort { $0.offset < $1.offset }
    known[address] = fields
    return fields
  }

  /// The stored properties that a class itself declares. Their names are in its field descriptor, their offsets in a vector in its metadata.
  private func own(_ address: UInt64, _ descriptor: UInt64) -> [Field] {
    let memory = metadata.memory
    guard let records = memory.relative(at: descriptor + 16), let count: UInt32 = memory.value(at: descriptor + 36), count < 4096,
      let size: UInt16 = memory.value(at: records &+ 10), size >= 12, let recorded: UInt32 = memory.value(at: records &+ 12),
      let vector: UInt32 = memory.value(at: descriptor + 40), vector != 0
    else { return [] }
    var first = address + UInt64(vector) * 8
    if metadata.hasResilientSuperclass(descriptor) { first = first &+ UInt64(bitPattern: metadata.membersOffset(descriptor) ?? 0) }
    return (0..<UInt64(min(count, recorded))).compactMap { index in
      let record = records &+ 16 &+ index * UInt64(size)
      guard let offset = memory.word(at: first &+ index * 8), offset < 1 << 32, let place = memory.relative(at: record &+ 8),
        let name = memory.string(at: place)
      else { return nil }
      let ownership = memory.relative(at: record &+ 4).map { SwiftTypeReference(metadata: metadata).ownership($0) }
      let text = String(decoding: name, as: UTF8.self)
      return Field(offset: offset, name: text.replacing(SwiftFields.lazyPrefix, with: ""), ownership: ownership ?? .strong)
    }
  }
}
