import Testing

@testable import ProcessMemory

/// Stacks that the kernel lists as one region, because glibc has marked their guards instead of taking the access to them away.
@Suite struct GuardedRegionsTests {
  private static let start: UInt64 = 0x7f00_0000_0000
  private static let page = PageMap.pageSize

  /// What a letter means for a page: `g` guard, `p` in memory, `s` swapped out, `-` never touched.
  private static let states: [Character: PageState] = ["g": .isGuard, "p": .present, "s": .swapped, "-": []]

  /// The regions that one becomes, whose pages have these states.
  private func split(_ pages: String, _ change: (inout MemoryRegion) -> Void = { _ in }) -> [MemoryRegion] {
    let page = Self.page
    var region = MemoryRegion(Self.start, size: UInt64(pages.count) * page, "rw-p", flags: ["rd", "wr"])
    let present = UInt64(pages.count { $0 == "p" }) * page
    (region.usage.resident, region.usage.privateDirty, region.usage.anonymous) = (present, present, present)
    (region.usage.proportional, region.usage.swapped) = (present / 2, UInt64(pages.count { $0 == "s" }) * page)
    change(&region)
    return GuardedRegions.split([region]) { start, end in
      #expect(start == region.start && end == region.end)
      return pages.enumerated().map { index, letter in
        let address = start + UInt64(index) * page
        return PageMap.Run(start: address, end: address + page, state: Self.states[letter, default: []])
      }
    }
  }

  @Test func aGuardIsARegionWithoutAccess() {
    let regions = split("g-ppg--s")
    #expect(regions.map(\.size) == [1, 3, 1, 3].map { $0 * Self.page })
    #expect(regions.map(\.permissions.description) == ["---p", "rw-p", "---p", "rw-p"])
    #expect(zip(regions, regions.dropFirst()).allSatisfy { $0.end == $1.start })
    #expect(regions.map(\.usage.resident) == [0, 2, 0, 0].map { $0 * Self.page })
    #expect(regions.map(\.usage.swapped) == [0, 0, 0, 1].map { $0 * Self.page })
    #expect(regions[0].flags.isEmpty && regions[1].flags == ["rd", "wr"])
  }

  /// The process runs on between the kernel's two answers, so that its counts and the pages may differ.
  @Test(arguments: ["gpgppg", "pppg", "g--g--", "ggg", "gp"]) func theSumStaysTheKernels(_ pages: String) {
    var usage = MemoryUsage()
    let regions = split(pages) {
      ($0.usage.resident, $0.usage.proportional, $0.usage.privateDirty, $0.usage.swapped) = (10 * 4096 + 1, .max, 3, 7)
      usage = $0.usage
    }
    var sum = MemoryUsage()
    for region in regions { sum += region.usage }
    #expect(sum == (pages.allSatisfy { $0 == "g" } ? MemoryUsage() : usage))
    #expect(regions.allSatisfy { !$0.permissions.isNone || $0.usage == MemoryUsage() })
  }

  @Test func regionsWithoutAGuardAreAsTheyWere() {
    #expect(split("--pp").count == 1)
    #expect(split("-gpp") { $0.permissions.isWritable = false }.count == 1)
    #expect(split("-gpp") { $0.permissions.isShared = true }.count == 1)
    #expect(split("-gpp") { $0.name = "[heap]" }.count == 1)
    let region = MemoryRegion(Self.start, size: 4 * Self.page, "rw-p")
    #expect(GuardedRegions.split([region]) { _, _ in nil } == [region])
  }

  @Test func stacksAreToldApartByTheirGuards() {
    let threads = [ProcessThread(id: 1, name: "main"), ProcessThread(id: 4711, name: "a"), ProcessThread(id: 4712, name: "b")]
    var memory = WrittenMemory()
    let end = Self.start + 10 * Self.page
    memory.writeDescriptor(stackEnd: Self.start + 5 * Self.page, thread: 4711)
    memory.writeDescriptor(stackEnd: end, thread: 0)
    let mapped = RegionClassification.mapped(split("g---pg---p"), threads: threads, words: memory.read)
    #expect(mapped.map(\.kind) == [.stackGuard, .stack, .stackGuard, .stack])
    #expect(mapped.map(\.use) == [.plain, .threads([threads[1]]), .plain, .unusedStack])
  }
}
