/// Further facts about the use of a region, besides its kind.
package enum RegionUse: Sendable, Equatable {
  /// Nothing more is known.
  case plain
  /// The heap that grows by brk(2), of malloc's main arena.
  case mainHeap
  /// A part of another malloc arena. `threads` is the number of threads that allocate from it; nil if it couldn't be read.
  case arena(start: UInt64, threads: UInt64?)
  /// This many blocks of malloc, each with a mapping of its own.
  case largeBlocks(Int)
  /// The zero-initialized variables (.bss) of the program or library at a path.
  case zeroed(image: String)
  /// The stacks of these threads.
  case threads([ProcessThread])
  /// A stack without a thread, which glibc keeps for the next thread.
  case unusedStack

  /// The use as text for a column of a table; empty for `plain`.
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
