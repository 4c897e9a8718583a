import Foundation

/// What a block of the heap is used for.
package enum BlockKind: String, Sendable, Encodable {
  case object
  case closureContext
  case box
  case error
  case task
  case job
  case sideTable
  /// Memory of C code, or memory whose use isn't recognized.
  case plain
}

/// Determines what blocks are used for, and their names, by their contents.
final class BlockNaming {
  let snapshot: MemorySnapshot
  private let scan: ReferenceScan
  private let metadata: SwiftMetadata
  private let fields: SwiftFields
  private let symbols: ProgramSymbols
  private static let systemModules = ["Dispatch.", "Foundation", "_Concurrency.", "Synchronization."]

  /// The path of the program's executable; nil if it can't be read.
  private let program: String?
  private var known: [UInt64: (kind: BlockKind, name: String, least: UInt64)?] = [:]
  private var placeTexts: [UInt64: String?] = [:]

  init(_ snapshot: MemorySnapshot, _ scan: ReferenceScan) {
    self.snapshot = snapshot
    self.scan = scan
    metadata = SwiftMetadata(memory: snapshot)
    fields = SwiftFields(metadata)
    symbols = ProgramSymbols(snapshot)
    program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(snapshot.process)/exe")
  }

  private var blocks: BlockTable { scan.blocks }

  func name(_ block: BlockTable.Index) -> (kind: BlockKind, name: String) {
    if scan.sideTables.contains(block) { return (.sideTable, "side table of weak references") }
    guard blocks.size(block) >= 16, let word = snapshot.word(at: blocks.start(block)), let known = type(word), isObject(block, known.least)
    else { return (.plain, plainName(block)) }
    if known.kind == .error, let type = snapshot.word(at: blocks.start(block) + 16).flatMap({ SwiftTypeName(metadata: metadata).name($0) })
    {
      return (.error, "error \(type)")
    }
    return (known.kind, known.name)
  }

  /// The name of a block that isn't Swift's. If its first word refers to a symbol of a library, it may be a C++ object (a virtual table), a
  /// libdispatch object or a C block.
  private func plainName(_ block: BlockTable.Index) -> String {
    let start = blocks.start(block)
    guard blocks.size(block) >= 16, let word = snapshot.word(at: start), word % 8 == 0, let text = firstSymbol(word) else {
      return "malloc block"
    }
    if text.hasPrefix("vtable for "), let end = text.lastIndex(of: "(") {
      return "C++ object \(text["vtable for ".endIndex..<end].trimmingCharacters(in: .whitespaces))"
    }
    let name = text.prefix { $0 != " " }
    if name.hasPrefix("__OS_dispatch_"), name.hasSuffix("_vtable") {
      return String(name.dropFirst("__OS_".count).dropLast("_vtable".count))
    }
    if name.hasPrefix("_dispatch_continuation") { return "dispatch work item" }
    guard name == "_NSConcreteMallocBlock" else { return "malloc block" }
    // The layout of a C block (`Block_layout`): the class, two 32-bit numbers, and the address of its function.
    return snapshot.word(at: start + 16).flatMap(symbol).map { "C block of \($0)" } ?? "C block"
  }

  private func firstSymbol(_ word: UInt64) -> String? {
    guard let region = snapshot.region(containing: word), region.isFile || region.isPlainAnonymous, blocks.block(containing: word) == nil
    else { return nil }
    return symbol(word)
  }

  /// Whether a block is an object of a class that the program itself declares, rather than one of its libraries.
  func isProgramsOwn(_ block: BlockTable.Index) -> Bool {
    guard name(block).kind == .object, let address = snapshot.word(at: blocks.start(block)),
      let descriptor = metadata.classDescriptor(address), let image = snapshot.region(containing: descriptor)?.name
    else { return false }
    // The Swift runtime and Foundation may be linked statically into the program, so classes of their modules are excluded.
    return image == program && !BlockNaming.systemModules.contains { name(block).name.hasPrefix($0) }
  }

  private func isObject(_ block: BlockTable.Index, _ least: UInt64) -> Bool { least <= blocks.end(block) - blocks.start(block) }

  /// The kind and name of objects with this metadata, and their smallest possible size; nil if it isn't metadata of heap objects.
  private func type(_ address: UInt64) -> (kind: BlockKind, name: String, least: UInt64)? {
    if let found = known[address] { return found }
    let found = read(address)
    known[address] = .some(found)
    return found
  }

  private func read(_ address: UInt64) -> (kind: BlockKind, name: String, least: UInt64)? {
    guard address % 8 == 0, snapshot.region(containing: address) != nil, let kind = metadata.kind(address) else { return nil }
    switch kind {
    case .classType:
      return SwiftTypeName(metadata: metadata).name(address).map { (.object, $0, metadata.instanceSize(address)) }
    case .heapLocalVariable: return captured(address)
    case .heapGenericLocalVariable:
      let type = snapshot.word(at: address + 16).flatMap { SwiftTypeName(metadata: metadata).name($0) }
      return (.box, type.map { "box of \($0)" } ?? "box", 16)
    case .errorObject: return isInImage(address) ? (.error, "error", 32) : nil
    case .task: return isInImage(address) ? (.task, "Task", 64) : nil
    case .job: return isInImage(address) ? (.job, "job of a task", 32) : nil
    default: return nil
    }
  }

  /// The context of a closure, or the box of a captured variable. Its capture descriptor lists the types of the captured values.
  private func captured(_ address: UInt64) -> (kind: BlockKind, name: String, least: UInt64)? {
    guard let offset: UInt32 = snapshot.value(at: address + 8), offset >= 16, offset < 4096 || offset == .max, isInImage(address) else {
      return nil
    }
    var types: [String] = []
    if let descriptor = snapshot.word(at: address + 16), descriptor != 0, let count: UInt32 = snapshot.value(at: descriptor), count <= 64 {
      types = (0..<UInt64(count)).map { index in
        snapshot.relative(at: descriptor + 12 + index * 4).flatMap { SwiftTypeReference(metadata: metadata).name($0) } ?? "_"
      }
    }
    // The box of a variable that closures share has the same layout as the context of a closure with one captured value.
    let what = types.count == 1 ? "box or closure context" : "closure context"
    return (.closureContext, types.isEmpty ? what : "\(what) (\(types.joined(separator: ", ")))", 16)
  }

  private func isInImage(_ address: UInt64) -> Bool {
    guard let region = snapshot.region(containing: address) else { return false }
    return region.isFile || region.isPlainAnonymous
  }
}

// MARK: - Properties and places

extension BlockNaming {
  /// The name and ownership of the reference that a block holds at an offset: a property, an array element or a captured value. The name is empty if
  /// it isn't known.
  func reference(from block: BlockTable.Index, at offset: UInt64) -> (name: String, ownership: SwiftTypeReference.Ownership) {
    let (kind, name) = name(block)
    guard offset >= 16, let address = snapshot.word(at: blocks.start(block)) else { return ("", .strong) }
    switch kind {
    case .closureContext: return ("captured", .strong)
    case .box: return ("value", .strong)
    case .object:
      if name.hasPrefix("_ContiguousArrayStorage<"), offset >= 32 { return (element(address, offset - 32), .strong) }
      if offset < metadata.instanceSize(address), let field = fields.field(address, at: offset) { return (field.name, field.ownership) }
      return ("", .strong)
    case .error, .task, .job, .sideTable, .plain: return ("", .strong)
    }
  }

  /// The name of the element at an offset in an array's storage, such as `[2]`.
  private func element(_ storage: UInt64, _ offset: UInt64) -> String {
    guard let descriptor = metadata.classDescriptor(storage), let type = metadata.genericArguments(storage, descriptor).first,
      let stride = metadata.layout(type)?.stride
    else { return "element" }
    return "[\(offset / stride)]"
  }

  /// The functions that allocated a block, the innermost first.
  func place(_ block: BlockTable.Index) -> [String] {
    // A return address may already belong to the next function; the address before it belongs to the call.
    return blocks.frames(block, in: snapshot).compactMap { symbol($0 - 1) }
  }

  /// The name of the symbol at an address; nil if the address is in no image.
  func symbol(_ address: UInt64) -> String? {
    if let known = placeTexts[address] { return known }
    let text = symbols.text(address)
    placeTexts[address] = .some(text)
    return text
  }
}
