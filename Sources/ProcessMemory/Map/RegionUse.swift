/// What is known of a region besides its kind.
package enum RegionUse: Sendable, Equatable {
  /// Nothing more.
  case plain
  /// The heap that grows by brk(2): malloc's main arena.
  case mainHeap
  /// A part of another arena of malloc. `threads` is how many threads allocate from it; nil where that couldn't be read.
  case arena(start: UInt64, threads: UInt64?)
  /// Blocks of malloc with a mapping of their own.
  case largeBlocks(Int)
  /// Variables that begin as zeros, of the program or library at a path.
  case zeroed(image: String)
  /// The stacks of these threads.
  case threads([ProcessThread])
  /// A stack without a thread: kept for the next one.
  case unusedStack

  /// The use in words, for a column; empty for `plain`.
  package var text: String {
    switch self {
    case .plain: ""
    case .mainHeap: "main heap"
    case .arena(let start, let threads): "arena \(HexAddress.text(start))" + RegionUse.text(threads)
    case .largeBlocks(let count): count == 1 ? "large block" : "\(count) large blocks"
    case .zeroed(let image): "\(image) (bss)"
    case .threads(let threads): threads.map { "thread \($0.id) \"\($0.name)\"" }.joined(separator: ", ")
    case .unusedStack: "no thread"
    }
  }

  private static func text(_ threads: UInt64?) -> String {
    switch threads {
    case nil: ""
    case 0: ", no thread"
    case 1: ", 1 thread"
    case let count?: ", \(count) threads"
    }
  }
}
