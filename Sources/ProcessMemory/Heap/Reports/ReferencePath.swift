/// Why a block is still alive: a shortest path of references from a root of the program to the block. A value.
package struct ReferencePath: Sendable, Encodable {
  package var address: HexNumber
  package var name: String
  /// The block's size in bytes.
  package var size: UInt64
  /// The root of the path as text, such as `global variable cache (shop)` or `stack of thread 4711 (worker)`; nil if the block can't be reached.
  package var root: String?
  /// The blocks on the path in order, the block itself last. A step's label is the property of the preceding block that holds it; that of the first
  /// step is empty.
  package var steps: [LeakStep]

  /// The path as a line: `stack of thread 7 (shop) → Shop.Cart → items: _ContiguousArrayStorage<Shop.Item> → [0]: Shop.Item`.
  package var text: String {
    guard let root else { return "nothing reaches \(name)" }
    let rest = steps.map { $0.label.isEmpty ? $0.name : "\($0.label): \($0.name)" }
    return ([root] + rest).joined(separator: " → ")
  }
}

/// Selects the blocks whose reference paths are wanted.
package enum ReferenceQuery: Sendable, Equatable {
  /// The block that contains an address.
  case address(UInt64)
  /// All objects of a type. The name may be given with or without its module and generic arguments.
  case type(String)

  /// Parses a query: a text that begins with `0x` is an address, any other a type's name.
  package init(_ text: String) {
    if text.hasPrefix("0x"), let address = UInt64(text.dropFirst(2), radix: 16) { self = .address(address) } else { self = .type(text) }
  }

  /// Whether the full name of a type matches the name that was given.
  static func matches(_ name: String, _ wanted: String) -> Bool {
    if wanted.isEmpty { return false }
    let plain = name.prefix { $0 != "<" }
    return name == wanted || plain == wanted || plain.hasSuffix("." + wanted)
      || (wanted.contains("<") && name.hasSuffix(".\(wanted)"))
  }
}

extension LeakExamination {
  /// The blocks that a query selects, each with the path that keeps it alive.
  /// - Parameter limit: The most paths to return; `found` is the number of all selected blocks.
  package func references(_ query: ReferenceQuery, limit: Int) -> (found: Int, paths: [ReferencePath]) {
    let blocks: [BlockTable.Index] =
      switch query {
      case .address(let address): scan.blocks.block(containing: address).map { [$0] } ?? []
      case .type(let wanted): scan.blocks.indices.filter { ReferenceQuery.matches(naming.name($0).name, wanted) }
      }
    return (blocks.count, blocks.prefix(limit).map(path))
  }

  private func path(to block: BlockTable.Index) -> ReferencePath {
    var result = ReferencePath(
      address: HexNumber(scan.blocks.start(block)), name: naming.name(block).name, size: scan.blocks.size(block), root: nil, steps: [])
    var node = block
    var steps: [LeakStep] = []
    while true {
      switch reachability.sources[Int(node)] {
      case .none: return result
      case .block(let from, let offset):
        steps.append(LeakStep(label: naming.reference(from: from, at: offset).name, name: naming.name(node).name))
        node = from
        continue
      case .register(let number): result.root = text(roots.registers[number].holder, at: nil)
      case .root(let part, let address): result.root = text(roots.parts[part].holder, at: address)
      }
      steps.append(LeakStep(label: "", name: naming.name(node).name))
      result.steps = steps.reversed()
      return result
    }
  }

  private func text(_ holder: RootSet.Holder, at address: UInt64?) -> String {
    switch holder {
    case .register(let thread, let name): return "register of thread \(thread) (\(name))"
    case .stack(let thread, let name): return "stack of thread \(thread) (\(name))"
    case .data(let image):
      if let text = address.flatMap(naming.symbol) { return "global \(text)" }
      return "data of \(image)"
    case .mapping(let name):
      let place = address.map { " at 0x\(String($0, radix: 16))" } ?? ""
      return name.map { "memory \($0)\(place)" } ?? "mapped memory\(place)"
    }
  }
}
