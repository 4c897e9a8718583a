/// What keeps a living block: a shortest way to it from what the program reaches by itself. A value.
package struct ReferencePath: Sendable, Encodable {
  package var address: HexNumber
  package var name: String
  /// In bytes.
  package var size: UInt64
  /// Where the way begins, in words: `global variable cache (shop)`, `stack of thread 4711 (worker)`. nil if nothing reaches the block.
  package var root: String?
  /// The blocks on the way, the block itself last; each with the property of the one before it. The first one's label is empty.
  package var steps: [LeakStep]

  /// `stack of thread 7 (shop) → Shop.Cart → items: _ContiguousArrayStorage<Shop.Item> → [0]: Shop.Item`
  package var text: String {
    guard let root else { return "nothing reaches \(name)" }
    let rest = steps.map { $0.label.isEmpty ? $0.name : "\($0.label): \($0.name)" }
    return ([root] + rest).joined(separator: " → ")
  }
}

/// Which blocks' holders are asked for.
package enum ReferenceQuery: Sendable, Equatable {
  /// The block that an address is in.
  case address(UInt64)
  /// All objects of a type, by its name with or without its module and generic arguments.
  case type(String)

  /// An address begins with `0x`.
  package init(_ text: String) {
    if text.hasPrefix("0x"), let address = UInt64(text.dropFirst(2), radix: 16) { self = .address(address) } else { self = .type(text) }
  }

  /// Whether a type's name is meant.
  static func matches(_ name: String, _ wanted: String) -> Bool {
    if wanted.isEmpty { return false }
    let plain = name.prefix { $0 != "<" }
    return name == wanted || plain == wanted || plain.hasSuffix("." + wanted)
      || (wanted.contains("<") && name.hasSuffix(".\(wanted)"))
  }
}

extension LeakExamination {
  /// The blocks that are asked for, each with what keeps it.
  /// - Parameter limit: So many at most.
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
