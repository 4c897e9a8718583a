/// A leaked block and the blocks that it holds, as a report shows them. A value.
package struct LeakTree: Sendable, Encodable {
  /// The name of the reference in the block above: a property, an index or empty if it isn't known.
  package var label: String
  package var kind: BlockKind
  package var name: String
  package var address: HexNumber
  /// The size of the block that the program requested, in bytes.
  package var size: UInt64
  /// The functions that allocated the block, the innermost first; empty for objects unless stacks were recorded.
  package var places: [String]
  /// Whether the block is shown in full elsewhere, so that `held` is empty: above it in the same tree (a cycle), or in another branch.
  package var isRepeated: Bool
  package var held: [LeakTree]

  /// The number of blocks that the tree shows in full.
  var shownBlocks: Int { (isRepeated ? 0 : 1) + held.reduce(0) { $0 + $1.shownBlocks } }

  /// A text that is equal for trees of the same shape: names, sizes and places, without addresses.
  var shape: String {
    let rest = held.map { "\($0.label)>\($0.shape)" }.joined(separator: ",")
    return "\(name)/\(size)/\(places.joined(separator: "<"))\(isRepeated ? "^" : "")(\(rest))"
  }
}

/// An address, which is encoded in JSON as text such as `0x7f00`, because many JSON readers don't keep all bits of 64-bit numbers.
package struct HexNumber: Sendable, Equatable, Encodable, CustomStringConvertible {
  package let value: UInt64

  package init(_ value: UInt64) { self.value = value }

  package var description: String { "0x\(String(value, radix: 16))" }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// Leaks of the same shape, which a report shows once. A value.
package struct LeakGroup: Sendable, Encodable {
  /// The number of leaks of this shape.
  package var count: Int
  /// The number of blocks of each of these leaks.
  package var blocks: Int
  /// The number of bytes of each of these leaks.
  package var bytes: UInt64
  /// The steps of a retain cycle: the first block, then each property with the object that it holds. Empty for a leak that isn't a cycle.
  package var cycle: [LeakStep]
  /// The tree of one of these leaks, as an example.
  package var tree: LeakTree
}

/// One block on a path of references, and the reference that leads to it. A value.
package struct LeakStep: Sendable, Equatable, Encodable {
  /// The name of the reference; empty if it isn't known.
  package var label: String
  /// The name of the block.
  package var name: String
}

/// Builds the trees of the leaks in a graph.
struct LeakTrees {
  private let graph: LeakGraph
  private let scan: ReferenceScan
  private let naming: BlockNaming
  private let tellsPlaces: Bool
  private var isShown: [Bool]

  private static let deepest = 64
  /// The most blocks of a leak that are shown; further ones are only counted.
  private static let mostShown = 200
  private var room = 0
  /// The most blocks of a cycle that are listed as steps; of a longer one the list shows only the last ones.
  private static let longestCycle = 24

  /// - Parameter tellsPlaces: Whether objects at the top of a tree are shown with the call stack that allocated them.
  init(_ graph: LeakGraph, _ scan: ReferenceScan, _ naming: BlockNaming, tellsPlaces: Bool) {
    (self.graph, self.scan, self.naming, self.tellsPlaces) = (graph, scan, naming, tellsPlaces)
    isShown = Array(repeating: false, count: graph.blocks.count)
  }

  /// All leaks, grouped by shape, the largest groups first.
  mutating func groups() -> [LeakGroup] {
    var groups: [LeakGroup] = []
    var positions: [String: Int] = [:]
    for component in graph.roots {
      guard let first = component.min(by: { rank($0) < rank($1) }) else { continue }
      var (blocks, bytes) = (0, UInt64(0))
      room = LeakTrees.mostShown
      let tree = tree(first, label: "", depth: 0, &blocks, &bytes)
      let cycle = graph.isCycle(component) ? cycle(through: first, in: component) : []
      let key = "\(blocks) \(cycle.count) \(tree.shape)"
      if let position = positions[key] {
        groups[position].count += 1
        continue
      }
      positions[key] = groups.count
      groups.append(LeakGroup(count: 1, blocks: blocks, bytes: bytes, cycle: cycle, tree: tree))
    }
    return groups.sorted { ($0.bytes * UInt64($0.count), $1.tree.address.value) > ($1.bytes * UInt64($1.count), $0.tree.address.value) }
  }

  /// The rank of a block as the start of a cycle; the lowest is the most informative. Objects come first, the program's own before others, then
  /// tasks, contexts and memory of C. Equal ones are ordered by size, by name so that cycles of the same shape begin alike, and by address.
  private func rank(_ position: Int) -> Rank {
    let (kind, name) = naming.name(graph.blocks[position])
    let order =
      switch kind {
      case .object: name.hasPrefix("_") ? 3 : naming.isProgramsOwn(graph.blocks[position]) ? 0 : 1
      case .task: 2
      case .closureContext, .box, .error, .job: 4
      case .sideTable, .plain: 5
      }
    let block = graph.blocks[position]
    return Rank(order: order, size: scan.blocks.size(block), name: name, address: scan.blocks.start(block))
  }

  private struct Rank: Comparable {
    let order: Int
    let size: UInt64
    let name: String
    let address: UInt64

    static func < (left: Rank, right: Rank) -> Bool {
      (left.order, right.size, left.name, left.address) < (right.order, left.size, right.name, right.address)
    }
  }

  private mutating func tree(_ position: Int, label: String, depth: Int, _ blocks: inout Int, _ bytes: inout UInt64) -> LeakTree {
    let block = graph.blocks[position]
    let (kind, name) = naming.name(block)
    let isRepeated = isShown[position]
    var tree = LeakTree(
      label: label, kind: kind, name: name, address: HexNumber(scan.blocks.start(block)), size: scan.blocks.size(block), places: [],
      isRepeated: isRepeated, held: [])
    if isRepeated { return tree }
    isShown[position] = true
    blocks += 1
    bytes += tree.size
    room -= 1
    if kind == .plain || (tellsPlaces && depth == 0) { tree.places = naming.place(block) }
    for edge in graph.edges[position] where edge.isStrong {
      if depth < LeakTrees.deepest, room > 0 || isShown[edge.target] {
        tree.held.append(self.tree(edge.target, label: edge.name, depth: depth + 1, &blocks, &bytes))
      } else {
        count(edge.target, &blocks, &bytes)
      }
    }
    return tree
  }

  /// Counts the blocks of a branch that isn't shown, because it is too deep or the leak has too many blocks.
  private mutating func count(_ position: Int, _ blocks: inout Int, _ bytes: inout UInt64) {
    var work = [position]
    while let next = work.popLast() {
      if isShown[next] { continue }
      isShown[next] = true
      blocks += 1
      bytes += scan.blocks.size(graph.blocks[next])
      work += graph.edges[next].lazy.filter(\.isStrong).map(\.target)
    }
  }

  /// A shortest path from a block of a cycle back to the same block.
  private func cycle(through start: Int, in component: [Int]) -> [LeakStep] {
    let members = Set(component)
    var ways: [Int: (from: Int, label: String)] = [:]
    var queue = [start]
    var (next, last) = (0, (from: -1, label: ""))
    search: while next < queue.count {
      let node = queue[next]
      next += 1
      for edge in graph.edges[node] where edge.isStrong && members.contains(edge.target) {
        if edge.target == start {
          last = (node, edge.name)
          break search
        }
        if ways[edge.target] == nil {
          ways[edge.target] = (node, edge.name)
          queue.append(edge.target)
        }
      }
    }
    guard last.from >= 0 else { return [] }
    var steps = [step(start, last.label)]
    var node = last.from
    while node != start, let way = ways[node], steps.count < LeakTrees.longestCycle {
      steps.append(step(node, way.label))
      node = way.from
    }
    return [step(start, "")] + steps.reversed()
  }

  private func step(_ position: Int, _ label: String) -> LeakStep {
    LeakStep(label: label, name: naming.name(graph.blocks[position]).name)
  }
}
