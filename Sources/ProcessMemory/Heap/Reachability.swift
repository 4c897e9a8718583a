/// Which blocks a program can still reach, and by which way.
struct Reachability {
  /// How a block was found first.
  enum Source: Equatable {
    case none
    /// A word of a register or of a part of the roots.
    case register(Int)
    case root(part: Int, address: UInt64)
    case block(BlockTable.Index, offset: UInt64)
  }

  private let scan: ReferenceScan
  private let roots: RootSet
  private(set) var sources: [Source]
  private var queue: [BlockTable.Index] = []

  /// Searches from the roots on, in breadth: the way to a block that is kept is a shortest one.
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

  /// The blocks that nothing reaches.
  var unreachable: [BlockTable.Index] { scan.blocks.indices.filter { !isReachable($0) } }

  private mutating func visit(_ block: BlockTable.Index, _ source: Source) {
    guard sources[Int(block)] == .none else { return }
    sources[Int(block)] = source
    queue.append(block)
  }

  private mutating func visitRoots() {
    // Data first: where variables and a stack both hold a block, the variables say more.
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

  /// Whether a word of malloc's own is the address of a free chunk. A chunk begins eight bytes before the end of what the block before it may
  /// use.
  private func isChunkReference(_ address: UInt64, _ block: BlockTable.Index, _ part: RootSet.Part) -> Bool {
    let word = part.copy.bytes(from: address, to: address + 8).loadUnaligned(as: UInt64.self)
    return word == scan.blocks.end(block) - 8 && word != scan.blocks.start(block)
  }
}
