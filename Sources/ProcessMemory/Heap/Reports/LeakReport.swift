/// The result of examining the blocks of a program at one moment. A value.
package struct LeakReport: Sendable, Encodable {
  /// When the program was examined.
  package enum Moment: String, Sendable, Encodable {
    case atExit
    case onSignal
  }

  package var program: String
  package var process: Int32
  package var moment: Moment
  /// The exit status with which the program was about to end; nil if it wasn't ending.
  package var exitStatus: Int32?
  /// The number and bytes of all allocated blocks, leaked or not.
  package var usedBlocks: Int
  package var usedBytes: UInt64
  package var leakedBlocks: Int
  package var leakedBytes: UInt64
  /// The number of blocks that the library couldn't record because it had no memory for their records.
  package var unrecordedBlocks: UInt64
  package var groups: [LeakGroup]

  package var hasLeaks: Bool { leakedBlocks > 0 }
}

/// Finds the leaks in a memory snapshot, and the paths to living blocks.
package final class LeakExamination {
  private let snapshot: MemorySnapshot
  let scan: ReferenceScan
  let roots: RootSet
  let reachability: Reachability
  let naming: BlockNaming
  private var graph: LeakGraph?

  package init(_ snapshot: MemorySnapshot) {
    self.snapshot = snapshot
    let blocks = BlockTable(snapshot)
    var scan = ReferenceScan(snapshot, blocks)
    roots = RootSet(snapshot, blocks)
    scan.ignoreRecycledItems(roots)
    self.scan = scan
    reachability = Reachability(scan, roots)
    naming = BlockNaming(snapshot, scan)
  }

  private func leakGraph() -> LeakGraph {
    if let graph { return graph }
    let made = LeakGraph(reachability.unreachable, scan, naming)
    graph = made
    return made
  }

  /// A report of the leaks.
  /// - Parameter tellsPlaces: Whether each leak is shown with the call stack that allocated its first object.
  package func report(program: String, _ moment: LeakReport.Moment, exitStatus: Int32? = nil, tellsPlaces: Bool) -> LeakReport {
    let graph = leakGraph()
    var trees = LeakTrees(graph, scan, naming, tellsPlaces: tellsPlaces)
    return LeakReport(
      program: program, process: snapshot.process, moment: moment, exitStatus: exitStatus, usedBlocks: scan.blocks.count,
      usedBytes: scan.blocks.sizes.reduce(0, +), leakedBlocks: graph.blocks.count,
      leakedBytes: graph.blocks.reduce(0) { $0 + scan.blocks.size($1) }, unrecordedBlocks: snapshot.record.lost, groups: trees.groups())
  }

  /// The graph of the leaked blocks in Graphviz's language (dot).
  package func dot() -> String { LeakDrawing(graph: leakGraph(), scan: scan, naming: naming).text }
}
