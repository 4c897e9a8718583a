/// Determines which blocks a program can still reach, and by which path.
struct Reachability {
  /// Where the first reference to a block was found; `none` if no reference was found.
  enum Source: Equatable {
    case none
    /// A register, by its index in the root set. The case `root` is a word in a part of the root set.
    case register(Int)
    case root(part: Int, address: UInt64)
    case block(BlockTable.Index, offset: UInt64)
  }

  private let scan: ReferenceScan
  private let roots: RootSet
  private(set) var sources: [Source]
  private var queue: [BlockTable.Index] = []

  /// Searches from the roots, breadth first, so that the recorded path to each block is a shortest one.
  init(_ scan: ReferenceScan, _ roots: RootSet) {
    self.scan = scan
    self.roots = roots
    sources = Array(repeating: .none, count: scan.blocks.count)
    visitRoots()
    var next = 0
    while next < queue.count {
      let block = queue[next]
      next += 1
      scan.references(from: block) { offset, target in visit(target, .block(block, offset: offset)) }
    }
  }

  func isReachable(_ block: BlockTable.Index) -> Bool { sources[Int(block)] != .none }

  /// The blocks that can't be reached from any root: the leaked blocks.
  var unreachable: [BlockTable.Index] { scan.blocks.indices.filter { !isReachable($0) } }

  private mutating func visit(_ block: BlockTable.Index, _ source: Source) {
    guard sources[Int(block)] == .none else { return }
    sources[Int(block)] = source
    queue.append(block)
  }

  private mutating func visitRoots() {
    // Data of images comes before stacks: if both refer to a block, the variable is the more informative source.
    for number in [true, false].flatMap({ wanted in roots.parts.indices.filter { isData(roots.parts[$0]) == wanted } }) {
      let part = roots.parts[number]
      for run in part.copy.runs where run.start < part.range.upperBound && part.range.lowerBound < run.end {
        let range = max(run.start, part.range.lowerBound)..<min(run.end, part.range.upperBound)
        scan.references(in: range, of: part.copy) { address, block in
          if part.isLibraryC, isChunkReference(address, block, part) { return }
          visit(block, .root(part: number, address: address))
        }
      }
    }
    for (number, register) in roots.registers.enumerated() {
      if let block = scan.target(register.word) { visit(block, .register(number)) }
    }
  }

  private func isData(_ part: RootSet.Part) -> Bool { if case .data = part.holder { true } else { false } }

  /// Whether a word in the C library's data is malloc's reference to a free chunk instead of to a block. A chunk begins eight bytes before the end of
  /// the usable part of the preceding block, so such an address lies within that block.
  private func isChunkReference(_ address: UInt64, _ block: BlockTable.Index, _ part: RootSet.Part) -> Bool {
    let word = part.copy.bytes(from: address, to: address + 8).loadUnaligned(as: UInt64.self)
    return word == scan.blocks.end(block) - 8 && word != scan.blocks.start(block)
  }
}
