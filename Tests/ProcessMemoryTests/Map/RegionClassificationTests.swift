import Testing

@testable import ProcessMemory

@Suite struct RegionClassificationTests {
  private func kinds(
    _ regions: [MemoryRegion], threads: [ProcessThread] = [], _ memory: WrittenMemory = WrittenMemory()
  ) -> [RegionKind] {
    RegionClassification.mapped(regions, threads: threads, words: memory.read).map(\.kind)
  }

  private func uses(_ regions: [MemoryRegion], threads: [ProcessThread] = [], _ memory: WrittenMemory = WrittenMemory()) -> [RegionUse] {
    RegionClassification.mapped(regions, threads: threads, words: memory.read).map(\.use)
  }

  // MARK: Files

  @Test func partsOfAnImageAreToldByPermissionsAndPlace() {
    let path = "/usr/lib/libc.so.6"
    let regions = [
      MemoryRegion(0x10000, size: 0x1000, "r--p", path),
      MemoryRegion(0x11000, size: 0x1000, "r-xp", path, offset: 0x1000),
      MemoryRegion(0x12000, size: 0x1000, "---p", path, offset: 0x2000),
      MemoryRegion(0x13000, size: 0x1000, "r--p", path, offset: 0x2000),
      MemoryRegion(0x14000, size: 0x1000, "r--p", path, offset: 0x3000, flags: ["rd", "ac"]),
      MemoryRegion(0x15000, size: 0x1000, "rw-p", path, offset: 0x4000),
      MemoryRegion(0x16000, size: 0x1000, "rw-p"),
    ]
    #expect(kinds(regions) == [.linkEdit, .text, .reserved, .text, .dataConst, .data, .data])
    #expect(uses(regions).last == .zeroed(image: path))
  }

  @Test func withoutFlagsPagesOfItsOwnTellRelocatedData() {
    var relocated = MemoryRegion(0x14000, size: 0x1000, "r--p", "/bin/a", offset: 0x3000)
    relocated.usage.set("Anonymous", bytes: 4096)
    #expect(kinds([MemoryRegion(0x11000, size: 0x1000, "r-xp", "/bin/a"), relocated]) == [.text, .dataConst])
  }

  @Test func memoryApartFromTheImageIsNotItsZeroedData() {
    let regions = [
      MemoryRegion(0x10000, size: 0x1000, "r-xp", "/bin/a"), MemoryRegion(0x11000, size: 0x1000, "rw-p", "/bin/a"),
      MemoryRegion(0x13000, size: 0x1000, "rw-p"),
    ]
    #expect(kinds(regions) == [.text, .data, .anonymous])
  }

  @Test(
    arguments: [
      ("/usr/lib/locale/C.utf8/LC_CTYPE", "r--p", .mappedFile), ("/tmp/data", "rw-s", .mappedFile), ("/tmp/data", "rw-p", .mappedFile),
      ("/dev/shm/segment", "rw-s", .sharedMemory), ("/SYSV0000002a (deleted)", "rw-s", .sharedMemory),
      ("/memfd:buffer (deleted)", "rw-s", .sharedMemory), ("/memfd:code (deleted)", "r-xs", .sharedMemory),
      ("/dev/zero (deleted)", "rw-s", .sharedMemory), ("/dev/zero", "rw-p", .mappedFile), ("anon_inode:[perf_event]", "rw-s", .mappedFile),
      ("[heap]", "rw-p", .malloc), ("[vdso]", "r-xp", .kernel), ("[vvar_vclock]", "r--p", .kernel), ("[vsyscall]", "--xp", .kernel),
      ("[anon: glibc: malloc arena]", "rw-p", .malloc), ("[anon: glibc: malloc arena]", "---p", .mallocGuard),
      ("[anon:ours]", "rw-p", .anonymous), ("[anon_shmem:ours]", "rw-s", .sharedMemory), ("[stack]", "rw-p", .stack),
      ("[anon: glibc: pthread stack: 4711]", "rw-p", .stack), ("[anon: glibc: pthread stack: 4711]", "---p", .stackGuard),
    ] as [(String, String, RegionKind)])
  func aNameTellsTheKind(_ name: String, _ permissions: String, _ kind: RegionKind) {
    #expect(kinds([MemoryRegion(0x10000, size: 0x1000, permissions, name)]) == [kind])
  }

  @Test func aNameOfGlibcTellsTheThread() {
    let threads = [ProcessThread(id: 1, name: "main"), ProcessThread(id: 4711, name: "worker")]
    let region = MemoryRegion(0x10000, size: 0x1000, "rw-p", "[anon: glibc: pthread stack: 4711]")
    #expect(uses([region], threads: threads) == [.threads([threads[1]])])
  }

  @Test(
    arguments: [("rw-p", .anonymous), ("r-xp", .anonymous), ("---p", .reserved), ("rw-s", .sharedMemory), ("---s", .sharedMemory)]
      as [(String, RegionKind)])
  func memoryWithoutANameIsToldByItsPermissions(_ permissions: String, _ kind: RegionKind) {
    #expect(kinds([MemoryRegion(0x10000, size: 0x1000, permissions)]) == [kind])
  }

  // MARK: malloc

  private static let heap: UInt64 = 0x7f00_0000_0000

  private static let arenaRegions = [
    MemoryRegion(heap, size: 0x21000, "rw-p"), MemoryRegion(heap + 0x21000, size: (64 << 20) - 0x21000, "---p"),
  ]

  @Test(arguments: [0, 1, 5] as [UInt64]) func aHeapOfAnArenaIsToldByItsInformation(_ threads: UInt64) {
    var memory = WrittenMemory()
    memory.writeArena(Self.heap, accessible: 0x21000, threads: threads)
    #expect(kinds(Self.arenaRegions, memory) == [.malloc, .mallocGuard])
    let use = RegionUse.arena(start: Self.heap + 48, threads: threads)
    #expect(uses(Self.arenaRegions, memory) == [use, use])
    #expect(use.text == "arena 7f0000000030" + [0: ", no thread", 1: ", 1 thread", 5: ", 5 threads"][threads, default: ""])
  }

  @Test func theStateOfAnArenaIsAlsoKnownFromGlibc243On() {
    var memory = WrittenMemory()
    memory.writeArena(Self.heap, accessible: 0x21000, threads: 3, countsAt: 2072)
    #expect(uses(Self.arenaRegions, memory).first == .arena(start: Self.heap + 48, threads: 3))
  }

  @Test func aSecondHeapBelongsToTheArenaOfTheFirst() {
    let second = Self.heap + (64 << 20)
    var memory = WrittenMemory()
    memory.writeArena(Self.heap, accessible: 64 << 20, threads: 1)
    memory.write(second, Self.heap + 48, Self.heap, 0x1000, 0x21000, 4096)
    let regions = [
      MemoryRegion(Self.heap, size: 64 << 20, "rw-p"), MemoryRegion(second, size: 0x21000, "rw-p"),
      MemoryRegion(second + 0x21000, size: 0x1000, "---p"),
    ]
    #expect(uses(regions, memory) == Array(repeating: .arena(start: Self.heap + 48, threads: 1), count: 3))
  }

  @Test func readableMemoryWithoutTheInformationIsNoArena() {
    var memory = WrittenMemory()
    memory.write(Self.heap, 1, 2, 3, 4)
    #expect(kinds(Self.arenaRegions, memory) == [.anonymous, .reserved])
  }

  @Test func whereMemoryCannotBeReadTheShapeTellsAnArena() {
    #expect(kinds(Self.arenaRegions) == [.malloc, .mallocGuard])
    let odd = Self.arenaRegions.map { MemoryRegion(start: $0.start + 4096, end: $0.end + 4096, permissions: $0.permissions) }
    #expect(kinds(odd) == [.anonymous, .reserved])
  }

  @Test func blocksWithMappingsOfTheirOwnAreCountedByTheirHeaders() {
    var memory = WrittenMemory()
    memory.write(0x10000, 0, 0x3000 | 2)
    memory.write(0x13000, 0x40, (0x2000 - 0x40) | 2)
    #expect(uses([MemoryRegion(0x10000, size: 0x5000, "rw-p")], memory) == [.largeBlocks(2)])
    // Other memory, less than they have, has been joined to their end or to their beginning.
    #expect(uses([MemoryRegion(0x10000, size: 0x7000, "rw-p")], memory) == [.largeBlocks(2)])
    #expect(uses([MemoryRegion(0xE000, size: 0x7000, "rw-p")], memory) == [.largeBlocks(2)])
    #expect(kinds([MemoryRegion(0x10000, size: 0x10000, "rw-p")], memory) == [.anonymous])
  }

  /// From glibc 2.43 on, the size in a header is without the header.
  @Test func blocksOfGlibc243AreCountedByTheirHeaders() {
    var memory = WrittenMemory()
    memory.write(0x10000, 0, 0x2FF0 | 2)
    memory.write(0x13000, 0x40, (0x2000 - 0x50) | 2)
    memory.write(0x15000, 0, 0xFF0 | 2)
    #expect(uses([MemoryRegion(0x10000, size: 0x6000, "rw-p")], memory) == [.largeBlocks(3)])
  }

  @Test(arguments: [0, 2, 0x3000, 0x3001, 0x3003, 0x3006, 0x4002, 0x2FE2, 0x3FF2, .max, .max - 13] as [UInt64])
  func aHeaderMustFitItsRegion(_ size: UInt64) {
    var memory = WrittenMemory()
    memory.write(0x10000, 0, size)
    #expect(kinds([MemoryRegion(0x10000, size: 0x3000, "rw-p")], memory) == [.anonymous])
  }

  // MARK: Stacks

  @Test func theStackPointerTellsAThreadsStack() {
    let threads = [ProcessThread(id: 1, name: "main", stackPointer: 0x90100), ProcessThread(id: 2, name: "worker", stackPointer: 0x11800)]
    let regions = [
      MemoryRegion(0x10000, size: 0x1000, "---p"), MemoryRegion(0x11000, size: 0x4000, "rw-p"), MemoryRegion(0x20000, size: 0x1000, "---p"),
      MemoryRegion(0x90000, size: 0x1000, "rw-p", "[stack]"),
    ]
    #expect(kinds(regions, threads: threads) == [.stackGuard, .stack, .reserved, .stack])
    #expect(uses(regions, threads: threads) == [.plain, .threads([threads[1]]), .plain, .threads([threads[0]])])
  }

  @Test func stacksWithoutGuardsBetweenThemAreOneRegion() {
    let threads = [ProcessThread(id: 2, name: "a", stackPointer: 0x11800), ProcessThread(id: 3, name: "b", stackPointer: 0x12800)]
    #expect(uses([MemoryRegion(0x11000, size: 0x4000, "rw-p")], threads: threads) == [.threads(threads)])
  }

  @Test func aThreadThatRunsIsToldByItsDescriptor() {
    let threads = [ProcessThread(id: 1, name: "main"), ProcessThread(id: 4711, name: "worker")]
    let regions = [MemoryRegion(0x10000, size: 0x1000, "---p"), MemoryRegion(0x11000, size: 0x8000, "rw-p")]
    var memory = WrittenMemory()
    memory.writeDescriptor(stackEnd: 0x19000, thread: 4711)
    #expect(kinds(regions, threads: threads, memory) == [.stackGuard, .stack])
    #expect(uses(regions, threads: threads, memory).last == .threads([threads[1]]))
    memory.writeDescriptor(stackEnd: 0x19000, thread: -1)
    #expect(uses(regions, threads: threads, memory).last == .unusedStack)
  }

  @Test(arguments: [8 << 20, (8 << 20) - 4096] as [UInt64]) func theDefaultSizeAboveAGuardIsAStack(_ size: UInt64) {
    let regions = [MemoryRegion(0x10000, size: 0x1000, "---p"), MemoryRegion(0x11000, size: size, "rw-p")]
    #expect(kinds(regions) == [.stackGuard, .stack])
    #expect(kinds([regions[0], MemoryRegion(0x11000, size: size / 2, "rw-p")]) == [.reserved, .anonymous])
    #expect(kinds([regions[1]]) == [.anonymous])
  }

  // MARK: Anything

  @Test func addressesAtTheEndOfTheSpaceDoNotOverflow() {
    let last = UInt64.max & ~((64 << 20) - 1)
    var memory = WrittenMemory()
    memory.write(last, last + 48, 0, 0x1000, 0x1000)
    let regions = [
      MemoryRegion(start: last, end: last + 0x1000, permissions: .init(isReadable: true, isWritable: true)),
      MemoryRegion(start: last + 0x1000, end: .max, permissions: .init()),
      MemoryRegion(start: 0, end: .max, permissions: .init(isReadable: true, isWritable: true)),
    ]
    let threads = [ProcessThread(id: 1, name: "a", stackPointer: .max)]
    #expect(RegionClassification.mapped(regions, threads: threads, words: memory.read).count == 3)
    #expect(
      RegionClassification.mapped(regions + regions, threads: threads) { _, count in Array(repeating: .max, count: count) }.count == 6)
    #expect(RegionClassification.mapped([]).isEmpty)
  }
}
