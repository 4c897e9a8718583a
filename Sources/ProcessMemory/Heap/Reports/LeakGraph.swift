/// The graph of the leaked blocks and the references between them. Has no side effects once it is created.
struct LeakGraph {
  typealias Index = BlockTable.Index

  /// A reference from one leaked block to another.
  struct Edge {
    let target: Int
    /// The offset of the reference in the block that holds it.
    let offset: UInt64
    let name: String
    var isStrong: Bool
  }

  let blocks: [Index]
  /// The references of each block, by the block's position in `blocks`; sorted by offset, one for each target.
  private(set) var edges: [[Edge]] = []
  /// The strongly connected components of the graph: blocks that can all reach each other. Each block is in exactly one.
  private(set) var components: [[Int]] = []
  private(set) var componentOf: [Int] = []

  init(_ leaked: [Index], _ scan: ReferenceScan, _ naming: BlockNaming) {
    blocks = leaked
    var positions: [Index: Int] = [:]
    for (position, block) in leaked.enumerated() { positions[block] = position }
    edges = leaked.map { block in
      var edges: [Edge] = []
      var seen: Set<Int> = []
      scan.references(from: block) { offset, target in
        // A reference within the same block doesn't keep it alive, unless it refers to the block's start, as a reference to `self` does.
        guard let position = positions[target], target != block || LeakGraph.isStart(target, of: block, at: offset, scan, naming) else {
          return
        }
        let reference = naming.reference(from: block, at: offset)
        let isStrong = reference.ownership == .strong
        if isStrong, !seen.insert(position).inserted { return }
        edges.append(Edge(target: position, offset: offset, name: reference.name, isStrong: isStrong))
      }
      return edges
    }
    separateTasks(naming)
    findComponents()
  }

  /// The memory that a task allocates for itself refers back to the task. This isn't shown as a retain cycle: the task has leaked because nothing
  /// resumes it, so these references count as weak.
  private mutating func separateTasks(_ naming: BlockNaming) {
    for task in blocks.indices where naming.name(blocks[task]).kind == .task {
      for held in edges[task].map(\.target) where naming.name(blocks[held]).kind == .plain {
        for index in edges[held].indices where edges[held][index].target == task { edges[held][index].isStrong = false }
      }
    }
  }

  private static func isStart(_ target: Index, of block: Index, at offset: UInt64, _ scan: ReferenceScan, _ naming: BlockNaming) -> Bool {
    guard naming.name(block).kind != .plain else { return false }
    return naming.snapshot.word(at: scan.blocks.start(block) + offset) == scan.blocks.start(target)
  }

  /// Whether a component is a retain cycle: it has several blocks, or its block refers to itself strongly.
  func isCycle(_ component: [Int]) -> Bool {
    component.count > 1 || edges[component[0]].contains { $0.target == component[0] && $0.isStrong }
  }

  /// The components without a strong reference from another component: each one is a leak of its own. The others leaked because these hold them.
  var roots: [[Int]] {
    var isHeld = [Bool](repeating: false, count: components.count)
    for (position, list) in edges.enumerated() {
      for edge in list where edge.isStrong && componentOf[edge.target] != componentOf[position] { isHeld[componentOf[edge.target]] = true }
    }
    return components.indices.filter { !isHeld[$0] }.map { components[$0] }
  }

  /// Finds the strongly connected components by Tarjan's algorithm. It is iterative, because long chains of blocks would overflow the stack.
  private mutating func findComponents() {
    let count = blocks.count
    var order = [Int](repeating: -1, count: count)
    var lowest = [Int](repeating: 0, count: count)
    var isOnStack = [Bool](repeating: false, count: count)
    var stack: [Int] = []
    var next = 0
    componentOf = [Int](repeating: -1, count: count)
    for start in 0..<count where order[start] < 0 {
      var work: [(node: Int, edge: Int)] = [(start, 0)]
      while let (node, edge) = work.last {
        if edge == 0 {
          order[node] = next
          lowest[node] = next
          next += 1
          stack.append(node)
          isOnStack[node] = true
        }
        if edge < edges[node].count {
          work[work.count - 1].edge += 1
          let (target, isStrong) = (edges[node][edge].target, edges[node][edge].isStrong)
          if !isStrong { continue }
          if order[target] < 0 {
            work.append((target, 0))
          } else if isOnStack[target] {
            lowest[node] = min(lowest[node], order[target])
          }
          continue
        }
        work.removeLast()
        if let parent = work.last?.node { lowest[parent] = min(lowest[parent], lowest[node]) }
        guard lowest[node] == order[node] else { continue }
        var component: [Int] = []
        while let member = stack.popLast() {
          isOnStack[member] = false
          componentOf[member] = components.count
          component.append(member)
          if member == node { break }
        }
        components.append(component.sorted())
      }
    }
  }
}
