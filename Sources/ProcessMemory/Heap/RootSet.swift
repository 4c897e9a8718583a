/// The roots of the search for reachable blocks: registers, stacks, and all other memory that isn't malloc's. A block is reachable only from these.
struct RootSet {
  /// The kind of root that contains a reference.
  enum Holder: Sendable, Equatable {
    case register(thread: Int32, name: String)
    case stack(thread: Int32, name: String)
    /// The variables of a program or library, by its path. The address of the reference tells which variable it is.
    case data(image: String)
    /// Other memory: mapped by the program itself, thread-local variables of the main thread, or of unknown use.
    case mapping(name: String?)
  }

  /// A range of memory that is searched for references.
  struct Part {
    let holder: Holder
    let range: Range<UInt64>
    /// The copied memory that contains the range.
    let copy: CopiedRegion
    /// Whether the range is data of the C library. malloc's data there refers to free chunks, by addresses that lie in the preceding block.
    let isLibraryC: Bool
  }

  private(set) var parts: [Part] = []
  private(set) var registers: [(holder: Holder, word: UInt64)] = []

  /// Collects the roots of a snapshot; `blocks` are the blocks that were found in it.
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
      // Zero-initialized variables of an image (.bss) are in anonymous memory directly after its last file mapping.
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
        // The stack is inside a block that the program has allocated for it, so it ends with the block.
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

/// The stacks of a program's threads: the parts in use, and stacks that have remained from ended threads.
struct ThreadStacks {
  /// The used part of a thread's stack: from its stack pointer to its end, where glibc keeps thread-local variables.
  struct Live {
    let thread: Int32
    let name: String
    let range: Range<UInt64>
  }

  /// The bytes below the stack pointer that a function may use without moving it (red zone; x86-64 ABI, 3.2.2).
  private static let redZone: UInt64 = 128
  /// The bytes at the end of a mapping that are searched for glibc's thread descriptor.
  private static let descriptorReach: UInt64 = 1 << 16

  private(set) var live: [Live] = []
  /// For each stack without a thread, the address of the word that refers to its table of thread-local variables (dtv). glibc keeps this table
  /// together with the stack for the next thread.
  private(set) var tables: [Range<UInt64>] = []
  /// The ranges of all stacks, used or not, sorted by address.
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
        // The program has allocated this stack itself, so its bounds aren't known; the mapping may contain other stacks too.
        live.append(Live(thread: thread.identifier, name: thread.name, range: max(pointer, region.start)..<region.end))
      }
    }
    ranges = all.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// The stack in a mapping above its guard, and the address of a word in its thread's descriptor. glibc's descriptor (`struct pthread`) is at the
  /// end of the stack and contains three consecutive words: the stack's address, its size and the guard's size. It remains when the stack is kept for
  /// another thread.
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

  /// The range of the word that holds the address of a thread's dtv. On x86-64 a descriptor begins with its own address, the dtv's address, and again
  /// its own address. On arm64 the dtv's address follows the descriptor.
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
