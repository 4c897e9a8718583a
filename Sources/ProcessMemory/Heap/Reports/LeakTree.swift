/// A leaked block with all that it holds: what a report shows of it. A value.
package struct LeakTree: Sendable, Encodable {
  /// What the block is held for, by the block above it.
  package var label: String
  package var kind: BlockKind
  package var name: String
  package var address: HexNumber
  /// In bytes, as the program asked for it.
  package var size: UInt64
  /// Where it was allocated, the innermost function first; empty for objects unless stacks were recorded.
  package var places: [String]
  /// Whether it is shown in full elsewhere: above it in the same tree (a cycle), or in another part.
  package var isRepeated: Bool
  package var held: [LeakTree]

  /// How many blocks the tree shows.
  var shownBlocks: Int { (isRepeated ? 0 : 1) + held.reduce(0) { $0 + $1.shownBlocks } }

  /// The tree without what differs between trees of the same shape.
  var shape: String {
    let rest = held.map { "\($0.label)>\($0.shape)" }.joined(separator: ",")
    return "\(name)/\(size)/\(places.joined(separator: "<"))\(isRepeated ? "^" : "")(\(rest))"
  }
}

/// An address, in JSON a text such as `0x7f00`: numbers of 64 bits aren't safe there.
package struct HexNumber: Sendable, Equatable, Encodable, CustomStringConvertible {
  package let value: UInt64

  package init(_ value: UInt64) { self.value = value }

  package var description: String { "0x\(String(value, radix: 16))" }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// Leaks of the same shape. A value.
package struct LeakGroup: Sendable, Encodable {
  /// How often this shape has leaked.
  package var count: Int
  /// How many blocks one of them has.
  package var blocks: Int
  /// How many bytes one of them has.
  package var bytes: UInt64
  /// For a retain cycle its steps: the name of the first block, then each property and what it holds; empty for other leaks.
  package var cycle: [LeakStep]
  /// One of them.
  package var tree: LeakTree
}

/// A step along references. A value.
package struct LeakStep: Sendable, Equatable, Encodable {
  /// The property; empty where it isn't known.
  package var label: String
  /// What it holds.
  package var name: String
}

/// Makes the trees of a graph.
struct LeakTrees {
  private let graph: LeakGraph
  private let scan: ReferenceScan
  private let naming: BlockNaming
  private let tellsPlaces: Bool
  private var isShown: [Bool]

  private static let deepest = 64
  /// How many blocks of a leak are shown; the others are only counted.
  private static let mostShown = 200
  private var room = 0
  /// A cycle through more blocks than this is told by its tree alone.
  private static let longestCycle = 24

  /// - Parameter tellsPlaces: Whether objects are shown with the stack that allocated them.
  init(_ graph: LeakGraph, _ scan: ReferenceScan, _ naming: BlockNaming, tellsPlaces: Bool) {
    (self.graph, self.scan, self.naming, self.tellsPlaces) = (graph, scan, naming, tellsPlaces)
    isShown = Array(repeating: false, count: graph.blocks.count)
  }

  /// All leaks, those of the same shape together, the largest first.
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

  /// Which block of a cycle tells most about it: objects, the program's own first, before contexts, these before memory of C; then the largest,
  /// then by name, so that cycles of the same shape begin alike; then the lowest address.
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

  /// Counts what lies too deep to be shown.
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

  /// A shortest way from a block of a cycle back to it.
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
