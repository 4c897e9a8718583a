/// Where the search begins: memory that isn't malloc's. A program reaches a block from there or not at all.
struct RootSet {
  /// What holds a reference.
  enum Holder: Sendable, Equatable {
    case register(thread: Int32, name: String)
    case stack(thread: Int32, name: String)
    /// Variables of a program or library, by its path; the address tells which.
    case data(image: String)
    /// Memory that the program has mapped itself, thread-local variables of the main thread, and what else isn't known.
    case mapping(name: String?)
  }

  /// A part of memory that holds references.
  struct Part {
    let holder: Holder
    let range: Range<UInt64>
    /// The copy that it lies in.
    let copy: CopiedRegion
    /// Whether it is data of the C library, whose heap refers to chunks by the last word of the block before them.
    let isLibraryC: Bool
  }

  private(set) var parts: [Part] = []
  private(set) var registers: [(holder: Holder, word: UInt64)] = []

  /// The roots of a program whose blocks are known.
  init(_ snapshot: MemorySnapshot, _ blocks: BlockTable) {
    let stacks = ThreadStacks(snapshot)
    for thread in snapshot.threads {
      let holder = Holder.register(thread: thread.identifier, name: thread.name)
      registers += thread.registers.map { (holder, $0) }
    }
    var lastImage: MemoryRegion?
    for copy in snapshot.copies {
      guard let region = snapshot.region(containing: copy.start) else { continue }
      if region.isFile { lastImage = region }
      // Variables that begin as zeros lie in anonymous memory behind those that come from the file.
      let image = region.isFile ? region.name : region.isPlainAnonymous && lastImage?.end == copy.start ? lastImage?.name : nil
      if image != nil, !region.isFile { lastImage = nil }
      let holder: Holder = image.map { .data(image: $0) } ?? .mapping(name: region.name)
      let isLibraryC = image.map(RootSet.isLibraryC) ?? false
      for range in MemorySnapshot.subtract(stacks.ranges, from: copy.start..<copy.end) {
        for part in MemorySnapshot.subtract(blocks.heapRanges, from: range) {
          parts.append(Part(holder: holder, range: part, copy: copy, isLibraryC: isLibraryC))
        }
      }
      for range in stacks.tables where copy.contains(range.lowerBound) {
        parts.append(Part(holder: .mapping(name: nil), range: range, copy: copy, isLibraryC: false))
      }
      for stack in stacks.live where copy.contains(stack.range.lowerBound) {
        var range = stack.range
        // A stack that the program has allocated as a block.
        if let block = blocks.block(containing: range.lowerBound) {
          range = range.lowerBound..<min(range.upperBound, blocks.end(block))
        }
        parts.append(Part(holder: .stack(thread: stack.thread, name: stack.name), range: range, copy: copy, isLibraryC: false))
      }
    }
  }

  private static func isLibraryC(_ path: String) -> Bool {
    guard let name = path.split(separator: "/").last else { return false }
    return name.hasPrefix("libc.so.6") || name.hasPrefix("libc-2.")
  }
}

/// The stacks of a program's threads: what of them is in use, and what is left of earlier calls and earlier threads.
struct ThreadStacks {
  /// The part of a stack that a thread uses, with its thread-local variables where they lie there.
  struct Live {
    let thread: Int32
    let name: String
    let range: Range<UInt64>
  }

  /// How far below its stack pointer a function may write (x86-64 ABI, 3.2.2).
  private static let redZone: UInt64 = 128
  /// How much of a mapping's end is searched for the thread's descriptor.
  private static let descriptorReach: UInt64 = 1 << 16

  private(set) var live: [Live] = []
  /// For each stack without a thread the words that refer to the table of thread-local variables (the dtv), which is kept with the stack.
  private(set) var tables: [Range<UInt64>] = []
  /// All stacks, used or not, in the order of their addresses.
  private(set) var ranges: [Range<UInt64>] = []

  init(_ snapshot: MemorySnapshot) {
    var all: [Range<UInt64>] = []
    for (index, region) in snapshot.regions.enumerated() {
      if region.name == "[stack]" { all.append(region.start..<region.end) }
      if index > 0, let stack = ThreadStacks.stack(region, guardedBy: snapshot.regions[index - 1], snapshot) {
        all.append(stack.range)
        let isUsed = snapshot.threads.contains { stack.range.contains($0.stackPointer) }
        if !isUsed, let table = ThreadStacks.table(near: stack.descriptor, upTo: stack.range.upperBound, snapshot) { tables.append(table) }
      }
    }
    for thread in snapshot.threads {
      let pointer = thread.stackPointer &- ThreadStacks.redZone
      guard let region = snapshot.region(containing: thread.stackPointer) else { continue }
      if let stack = all.first(where: { $0.contains(thread.stackPointer) }) {
        live.append(Live(thread: thread.identifier, name: thread.name, range: max(pointer, stack.lowerBound)..<stack.upperBound))
      } else {
        // A stack of the program's own making: no bounds are known, and other stacks may lie beside it.
        live.append(Live(thread: thread.identifier, name: thread.name, range: max(pointer, region.start)..<region.end))
      }
    }
    ranges = all.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// The stack that fills a mapping above its guard, and an address in its thread's descriptor. glibc writes a stack's address, its size and
  /// its guard's size side by side into the descriptor (`struct pthread`), which lies at the stack's end and stays there when the stack is
  /// kept for another thread.
  private static func stack(
    _ region: MemoryRegion, guardedBy below: MemoryRegion, _ snapshot: MemorySnapshot
  ) -> (range: Range<UInt64>, descriptor: UInt64)? {
    guard region.isPlainAnonymous, region.permissions.isWritable, below.end == region.start, below.permissions.isNone else { return nil }
    guard let copy = snapshot.copy(containing: region.start), copy.end == region.end, let run = copy.runs.last else { return nil }
    let first = max(run.start, run.end - min(descriptorReach, run.end - run.start))
    let bytes = copy.bytes(from: first, to: run.end)
    var offset = bytes.count - 24
    while offset >= 0 {
      let address = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if address == below.start {
        let size = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        let guardSize = bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)
        if guardSize == region.start - below.start, size > guardSize, size <= region.end - address {
          return (region.start..<(address + size), first + UInt64(offset))
        }
      }
      offset -= 8
    }
    return nil
  }

  /// Where the address of a thread's table of thread-local variables is. On x86-64 a descriptor begins with its own address, that of the
  /// table, and its own address again; on arm64 the table's follows the descriptor.
  private static func table(near place: UInt64, upTo end: UInt64, _ snapshot: MemorySnapshot) -> Range<UInt64>? {
    #if arch(arm64)
      return place..<end
    #else
      for address in stride(from: place & ~63, through: place - min(place, 4096), by: -64)
      where snapshot.word(at: address) == address && snapshot.word(at: address + 16) == address {
        return (address + 8)..<(address + 16)
      }
      return nil
    #endif
  }
}
