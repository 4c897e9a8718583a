/// What is found out about the blocks of a program at one moment. A value.
package struct LeakReport: Sendable, Encodable {
  /// When it was made.
  package enum Moment: String, Sendable, Encodable {
    case atExit
    case onSignal
  }

  package var program: String
  package var process: Int32
  package var moment: Moment
  /// The exit status that the program was about to have.
  package var exitStatus: Int32?
  /// All blocks in use, leaked or not.
  package var usedBlocks: Int
  package var usedBytes: UInt64
  package var leakedBlocks: Int
  package var leakedBytes: UInt64
  /// Blocks that could not be recorded.
  package var unrecordedBlocks: UInt64
  package var groups: [LeakGroup]

  package var hasLeaks: Bool { leakedBlocks > 0 }
}

/// Examines a snapshot.
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

  /// The leaks.
  /// - Parameter tellsPlaces: Whether objects are shown with the stack that allocated them.
  package func report(program: String, _ moment: LeakReport.Moment, exitStatus: Int32? = nil, tellsPlaces: Bool) -> LeakReport {
    let graph = leakGraph()
    var trees = LeakTrees(graph, scan, naming, tellsPlaces: tellsPlaces)
    return LeakReport(
      program: program, process: snapshot.process, moment: moment, exitStatus: exitStatus, usedBlocks: scan.blocks.count,
      usedBytes: scan.blocks.sizes.reduce(0, +), leakedBlocks: graph.blocks.count,
      leakedBytes: graph.blocks.reduce(0) { $0 + scan.blocks.size($1) }, unrecordedBlocks: snapshot.record.lost, groups: trees.groups())
  }

  /// The leaked blocks and their references in Graphviz's language.
  package func dot() -> String { LeakDrawing(graph: leakGraph(), scan: scan, naming: naming).text }
}
