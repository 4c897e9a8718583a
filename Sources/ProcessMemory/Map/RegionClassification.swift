/// Determines the kind of each region of a process, by the regions, the threads and the contents of the memory. Has no side effects.
///
/// The first rule that applies:
/// 1. A name that the kernel has given, or that the process has given to anonymous memory (`[heap]`, `[stack]`, `[anon: glibc: malloc]`).
/// 2. A path: shared memory, a part of a program or library if one of the file's mappings is executable, or another file.
/// 3. Writable anonymous memory: a heap of malloc, the stack that contains a thread's stack pointer, large blocks of malloc, a region with the shape
/// of a stack, the zero-initialized variables (.bss) of the library right before it.
/// 4. Anonymous memory without access: the reserved part of a malloc heap, the guard below a stack.
package struct RegionClassification {
  let regions: [MemoryRegion]
  let threads: [ProcessThread]
  /// The default size of a thread's stack in bytes, from `RLIMIT_STACK`.
  let stackSize: UInt64
  let words: ReadWords
  /// The file offset at which the code of each program or library begins, by path.
  private let images: [String: UInt64]
  /// The threads whose stack pointers are in a region, by the region's index.
  private var occupants: [Int: [ProcessThread]] = [:]
  /// The last malloc heap that was found; regions are examined in the order of their addresses.
  private var lastHeap: MallocLayout.Heap?

  /// - Parameters:
  ///   - regions: The regions sorted by address, as the kernel lists them.
  ///   - threads: The process's threads; the first is the main one.
  ///   - stackSize: `RLIMIT_STACK` of the process, in bytes.
  ///   - words: Reads the process's memory. If it can't be read, the shapes of regions decide.
  private init(regions: [MemoryRegion], threads: [ProcessThread], stackSize: UInt64, words: @escaping ReadWords) {
    self.regions = regions
    self.threads = threads
    self.stackSize = stackSize
    self.words = words
    images = regions.reduce(into: [:]) { images, region in
      guard let path = region.name, region.isFile, region.permissions.isExecutable, !SharedMemoryPath.matches(region) else { return }
      images[path] = min(images[path] ?? .max, region.offset)
    }
    for thread in threads {
      if let pointer = thread.stackPointer, let index = index(of: pointer) { occupants[index, default: []].append(thread) }
    }
  }

  /// The regions with their kinds, in the same order.
  /// - Parameters:
  ///   - regions: The regions sorted by address, as the kernel lists them.
  ///   - threads: The process's threads; the first is the main one.
  ///   - stackSize: The default size of a thread's stack: `RLIMIT_STACK` of the process, in bytes.
  ///   - words: Reads the process's memory. If it can't be read, the shapes of regions decide.
  package static func mapped(
    _ regions: [MemoryRegion], threads: [ProcessThread] = [], stackSize: UInt64 = 8 << 20, words: @escaping ReadWords = { _, _ in nil }
  ) -> [MappedRegion] {
    var classification = RegionClassification(regions: regions, threads: threads, stackSize: stackSize, words: words)
    return classification.result()
  }

  private mutating func result() -> [MappedRegion] {
    var result: [MappedRegion] = []
    result.reserveCapacity(regions.count)
    for index in regions.indices { result.append(mapped(index, before: result.last)) }
    for index in result.indices.dropLast() where result[index].kind == .reserved {
      // A region without access is a stack's guard only if the region right above it is a stack.
      let (guarding, above) = (result[index].region, result[index + 1])
      if above.kind == .stack, above.region.start == guarding.end, guarding.isPlainAnonymous { result[index].kind = .stackGuard }
    }
    return result
  }

  private mutating func mapped(_ index: Int, before previous: MappedRegion?) -> MappedRegion {
    let region = regions[index]
    if let named = named(index) { return named }
    if SharedMemoryPath.matches(region) { return MappedRegion(region, .sharedMemory) }
    if region.isFile { return file(region) }
    if region.permissions.isNone { return inaccessible(region, before: previous) }
    return anonymous(index, before: previous)
  }

  /// The index of the region that contains an address; nil if there is none.
  private func index(of address: UInt64) -> Int? {
    var (low, high) = (0, regions.count)
    while low < high {
      let middle = (low + high) / 2
      if regions[middle].end <= address { low = middle + 1 } else { high = middle }
    }
    return low < regions.count && regions[low].contains(address) ? low : nil
  }
}

extension RegionClassification {
  /// The kind of a region with a name in brackets; nil if it has no such name.
  private func named(_ index: Int) -> MappedRegion? {
    let region = regions[index]
    guard let name = region.name, name.hasPrefix("[") else { return nil }
    if name == "[heap]" { return MappedRegion(region, .malloc, .mainHeap) }
    if name == "[stack]" { return MappedRegion(region, .stack, .threads(Array(threads.prefix(1)))) }
    if name.hasPrefix("[anon") {
      // A name that the process has set (PR_SET_VMA_ANON_NAME), such as those of glibc with the tunable glibc.mem.decorate_maps.
      if name.contains("malloc") { return MappedRegion(region, region.permissions.isNone ? .mallocGuard : .malloc) }
      if let found = occupants[index] { return MappedRegion(region, .stack, .threads(found)) }
      if name.contains("stack") { return MappedRegion(region, region.permissions.isNone ? .stackGuard : .stack, namedThread(name)) }
      return MappedRegion(region, region.permissions.isShared ? .sharedMemory : region.permissions.isNone ? .reserved : .anonymous)
    }
    return MappedRegion(region, .kernel)
  }

  /// The thread whose ID is at the end of a name such as `[anon: glibc: pthread stack: 4711]`.
  private func namedThread(_ name: String) -> RegionUse {
    let number = name.dropLast().split(separator: " ").last.flatMap { Int32($0) }
    return threads.first { $0.id == number }.map { .threads([$0]) } ?? .plain
  }

  private func file(_ region: MemoryRegion) -> MappedRegion {
    guard let path = region.name, let code = images[path], !region.permissions.isShared else { return MappedRegion(region, .mappedFile) }
    let permissions = region.permissions
    if permissions.isNone { return MappedRegion(region, .reserved) }
    if permissions.isExecutable { return MappedRegion(region, .text) }
    if permissions.isWritable { return MappedRegion(region, .data) }
    // A read-only region that was writable before it was relocated (RELRO) is still accounted for (VM_ACCOUNT), or has pages that were written.
    if region.flags.contains("ac") || region.usage.anonymous > 0 { return MappedRegion(region, .dataConst) }
    return MappedRegion(region, region.offset < code ? .linkEdit : .text)
  }

  private func inaccessible(_ region: MemoryRegion, before previous: MappedRegion?) -> MappedRegion {
    if region.permissions.isShared { return MappedRegion(region, .sharedMemory) }
    // The reserved part of the malloc heap right below. The kernel may have merged the mapping after the reservation into it.
    if let previous, case .arena = previous.use, previous.region.end == region.start, let heap = lastHeap,
      region.start &- heap.start < MallocLayout.heapSize
    {
      return MappedRegion(region, .mallocGuard, previous.use)
    }
    return MappedRegion(region, .reserved)
  }

  private mutating func anonymous(_ index: Int, before previous: MappedRegion?) -> MappedRegion {
    let region = regions[index]
    if region.permissions.isShared { return MappedRegion(region, .sharedMemory) }
    guard region.isPlainAnonymous, region.permissions.isWritable else { return MappedRegion(region, .anonymous) }
    if let arena = arena(index) { return MappedRegion(region, .malloc, arena) }
    if let found = occupants[index] { return MappedRegion(region, .stack, .threads(found)) }
    if let count = MallocLayout.largeBlocks(in: region, words) { return MappedRegion(region, .malloc, .largeBlocks(count)) }
    if let use = stack(region, before: previous) { return MappedRegion(region, .stack, use) }
    if let previous, previous.kind == .data, previous.region.end == region.start, let image = previous.region.name {
      return MappedRegion(region, .data, .zeroed(image: image))
    }
    return MappedRegion(region, .anonymous)
  }

  /// The malloc arena that a region belongs to; nil if it belongs to none.
  private mutating func arena(_ index: Int) -> RegionUse? {
    let region = regions[index]
    if let heap = lastHeap, region.start > heap.start, region.start - heap.start < heap.accessible {
      return .arena(start: heap.arena, threads: MallocLayout.threads(ofArena: heap.arena, words))
    }
    if let heap = MallocLayout.heap(at: region.start, words) {
      lastHeap = heap
      return .arena(start: heap.arena, threads: MallocLayout.threads(ofArena: heap.arena, words))
    }
    // If the memory can't be read: an aligned reservation of a heap's size, of which only the beginning is accessible, counts as an arena.
    guard region.start.isMultiple(of: MallocLayout.heapSize), words(region.start, 4) == nil, index + 1 < regions.count else { return nil }
    let rest = regions[index + 1]
    guard rest.start == region.end, rest.permissions.isNone, rest.isPlainAnonymous, region.size < MallocLayout.heapSize,
      rest.end - region.start >= MallocLayout.heapSize
    else { return nil }
    lastHeap = MallocLayout.Heap(start: region.start, accessible: region.size, arena: region.start)
    return .arena(start: region.start, threads: nil)
  }

  /// The use of a region as a stack, if no thread's stack pointer is known to be in it; nil if it isn't a stack.
  private func stack(_ region: MemoryRegion, before previous: MappedRegion?) -> RegionUse? {
    guard let below = previous?.region, below.end == region.start, below.permissions.isNone, below.isPlainAnonymous else { return nil }
    if let number = ThreadLayout.thread(ofStack: region, words) {
      // glibc's thread ID is 0 after the thread has ended and -1 after it has been joined. A process in another PID namespace has other IDs there.
      return threads.first { $0.id == number }.map { .threads([$0]) } ?? (number <= 0 ? .unusedStack : .plain)
    }
    // Depending on glibc's version, the stack's size includes the guard or doesn't.
    let isWholeStack = region.size == stackSize || (below.size < stackSize && region.size == stackSize - below.size)
    return isWholeStack ? .plain : nil
  }
}

/// Recognizes shared memory by its path.
private enum SharedMemoryPath {
  /// Whether the path is that of a System V segment, POSIX shared memory, memfd_create(2), or shared anonymous memory, for which the kernel uses an
  /// unnamed file.
  static func matches(_ region: MemoryRegion) -> Bool {
    guard let name = region.name else { return false }
    if name.hasPrefix("/dev/zero") { return region.permissions.isShared }
    return name.hasPrefix("/SYSV") || name.hasPrefix("/dev/shm/") || name.hasPrefix("/memfd:")
  }
}
