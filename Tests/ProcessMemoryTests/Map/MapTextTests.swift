import Testing

@testable import ProcessMemory

@Suite struct MapTextTests {
  static let record = """
    7f0000001000-7f0000005000 rw-p 00002000 fe:00 253911                     /usr/lib/a library.so (deleted)
    Size:                 16 kB
    KernelPageSize:        4 kB
    Rss:                  12 kB
    Pss:                   6 kB
    Shared_Clean:          0 kB
    Shared_Dirty:          4 kB
    Private_Clean:         0 kB
    Private_Dirty:         8 kB
    Anonymous:             8 kB
    Swap:                  4 kB
    SwapPss:               4 kB
    THPeligible:           0
    ProtectionKey:         0
    VmFlags: rd wr mr mw me ac 

    """

  @Test func aRecordHasAllThatIsCounted() throws {
    let text = MapText(MapTextTests.record)
    let region = try #require(text.regions.first)
    #expect(text.regions.count == 1 && text.unreadableLines == 0)
    #expect(region.start == 0x7f00_0000_1000 && region.end == 0x7f00_0000_5000 && region.size == 16384)
    #expect("\(region.permissions)" == "rw-p" && region.offset == 0x2000 && region.inode == 253_911)
    #expect(region.name == "/usr/lib/a library.so (deleted)")
    #expect(region.usage.resident == 12288 && region.usage.proportional == 6144 && region.usage.dirty == 12288)
    #expect(region.usage.swapped == 4096 && region.usage.anonymous == 8192)
    #expect(region.flags == ["rd", "wr", "mr", "mw", "me", "ac"])
  }

  @Test func mapsHasTheSameLinesWithoutCounts() {
    let text = MapText(
      """
      00400000-00401000 r-xp 00000000 08:01 12 /bin/a
      7ffd33dfb000-7ffd33e1c000 rw-p 00000000 00:00 0                          [stack]
      7ffd33e1c000-7ffd33e1d000 rw-s 00000000 00:00 0 
      ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
      """)
    #expect(text.regions.map(\.name) == ["/bin/a", "[stack]", nil, "[vsyscall]"])
    #expect(text.regions.map { "\($0.permissions)" } == ["r-xp", "rw-p", "rw-s", "--xp"])
    #expect(text.regions.map(\.isFile) == [true, false, false, false])
    #expect(text.unreadableLines == 0)
  }

  @Test(arguments: [
    "", "\n\n", "7f00", "7f00-", "-7f00 rw-p 0 0:0 0", "7f01-7f00 rw-p 00000000 00:00 0", "7f00-7f00 rw-p 00000000 00:00 0",
    "7f00-7f01 rw-", "7f00-7f01 rwxq 00000000 00:00 0", "7f00-7f01 wr-p 00000000 00:00 0", "7f00-7f01 rw-p 00000000 0000 0",
    "7f00-7f01 rw-p xyz 00:00 0", "7f00-7f01 rw-p 00000000 00:00 x", "+7f00-+7f01 rw-p 00000000 00:00 0",
    "11112222333344445-11112222333344446 rw-p 00000000 00:00 0", "Rss: 4 kB", "\u{0}\u{FFFD}: kB", ":", "Rss:", "VmFlags:",
  ])
  func whatIsNoRegionGivesNone(_ text: String) { #expect(MapText(text).regions.isEmpty) }

  @Test func fieldsAfterAnUnreadableRegionAreNotTheRegionsBefore() {
    let text = MapText(
      """
      7f00-7f01 rw-p 00000000 00:00 0
      Rss: 4 kB
      7f02-7f0
      Rss: 8 kB
      VmFlags: rd
      7f04-7f05 rw-p 00000000 00:00 0
      Rss: 16 kB
      """)
    #expect(text.regions.map(\.usage.resident) == [4096, 16384])
    #expect(text.regions.map(\.flags) == [[], []])
    #expect(text.unreadableLines == 1)
  }

  @Test(arguments: [
    "Rss: 4", "Rss: 4 k", "Rss:  kB", "Rss: -4 kB", "Rss: 4.5 kB", "Rss: 99999999999999999999 kB", "Rss: 18014398509481984 kB",
  ])
  func aFieldWithoutItsUnitOrBeyondAWordIsNotTaken(_ field: String) {
    let text = MapText("7f00-7f01 rw-p 00000000 00:00 0\nRss: 8 kB\n\(field)\n")
    #expect(text.regions.map(\.usage.resident) == [8192])
    #expect(text.unreadableLines == 1)
  }

  @Test func aTextThatIsCutAnywhereKeepsTheRecordsBefore() {
    let bytes = Array((MapTextTests.record + MapTextTests.record).utf8)
    for length in bytes.indices {
      let text = MapText(bytes[..<length])
      #expect(text.regions.count <= 2 && text.regions.allSatisfy { $0.start < $0.end })
      if length > bytes.count / 2 { #expect(text.regions.first?.usage.resident == 12288) }
    }
  }

  @Test func bytesThatAreNoTextAreReplaced() {
    let text = MapText(Array("7f00-7f01 r--p 00000000 08:01 7 /a".utf8) + [0xFF, 0xFE])
    #expect(text.regions.first?.name == "/a\u{FFFD}\u{FFFD}")
  }
}
