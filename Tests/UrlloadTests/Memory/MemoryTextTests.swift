import Foundation
import ProcessMemory
import Testing

@testable import urlload

@Suite struct MemoryTextTests {
  @Test(
    arguments: [
      (0, "0K"), (4096, "4K"), (8_376_320, "8180K"), (8 << 20, "8192K"), (10_238_976, "9999K"), (10_240_000, "9.8M"), (64 << 20, "64.0M"),
      (1023 << 20, "1023.0M"), ((1024 << 20) - 4096, "1.0G"), (1 << 30, "1.0G"), (17_592_186_044_416, "16.0T"), (.max, "16.0E"),
    ] as [(UInt64, String)])
  func sizesAreThoseOfVmmap(_ bytes: UInt64, _ text: String) { #expect(MemorySize.text(bytes) == text) }

  @Test(arguments: [(0, "0K"), (4096, "+4K"), (-4096, "-4K"), (.min, "-8.0E"), (20 << 20, "+20.0M")] as [(Int64, String)])
  func changesHaveASign(_ bytes: Int64, _ text: String) { #expect(MemorySize.change(bytes) == text) }

  @Test(arguments: [("5s", 5), ("5", 5), ("250ms", 0.25), ("1.5m", 90), ("1h", 3600), ("0", 0), ("24h", 86_400)] as [(String, Double)])
  func aTimeIsANumberAndItsUnit(_ text: String, _ seconds: Double) { #expect(MemoryTime(argument: text)?.seconds == seconds) }

  @Test(arguments: ["", "s", "-5s", "5 s", "5x", "1e3", "inf", "nan", "1.2.3s", "25h", "٣s"])
  func otherTextIsNoTime(_ text: String) { #expect(MemoryTime(argument: text) == nil) }

  @Test func aReferenceIsATimeTheEnterKeyOrAFile() {
    #expect(MemoryReference(argument: "5s") == .time(MemoryTime(seconds: 5)))
    #expect(MemoryReference(argument: "enter") == .enter)
    #expect(MemoryReference(argument: "./5s") == .file("./5s") && MemoryReference(argument: "before.json") == .file("before.json"))
    #expect(MemoryReference(argument: "") == nil)
  }

  private static func map() -> MemoryMap {
    var usage = MemoryUsage()
    (usage.resident, usage.privateDirty, usage.swapped) = (12288, 8192, 4096)
    let (readable, writable) = (
      MemoryRegion.Permissions(isReadable: true, isExecutable: true), MemoryRegion.Permissions(isReadable: true, isWritable: true)
    )
    let code = MemoryRegion(start: 0x400000, end: 0x404000, permissions: readable, inode: 7, name: "/bin/a \u{1B}[31m", usage: usage)
    let stack = MemoryRegion(start: 0x7fff_0000_0000, end: 0x7fff_0080_0000, permissions: writable, usage: usage)
    let thread = ProcessThread(id: 8, name: "worker")
    return MemoryMap(
      process: 7, name: "a", threads: 1, regions: [MappedRegion(code, .text), MappedRegion(stack, .stack, .threads([thread]))])
  }

  @Test func theTableIsAlignedAndEndsWithTheSums() {
    #expect(
      MemoryTable.full(MemoryTextTests.map()) == [
        "Process 7 (a), 1 thread",
        "",
        "REGION TYPE         START - END               [  VSIZE  RSDNT  DIRTY   SWAP] PRT  REGION DETAIL",
        "__TEXT              00400000-00404000         [    16K    12K     8K     4K] r-xp /bin/a \u{FFFD}[31m",
        "Stack               7fff00000000-7fff00800000 [  8192K    12K     8K     4K] rw-p thread 8 \"worker\"",
        "",
        "                    VIRTUAL  RESIDENT     DIRTY   SWAPPED    REGION",
        "REGION TYPE            SIZE      SIZE      SIZE      SIZE     COUNT",
        "===========         =======  ========     =====   =======   =======",
        "__TEXT                  16K       12K        8K        4K         1",
        "Stack                 8192K       12K        8K        4K         1",
        "===========         =======  ========     =====   =======   =======",
        "TOTAL                 8208K       24K       16K        8K         2",
      ])
  }

  @Test func theSummaryIsTheEndOfTheTable() {
    let (full, summary) = (MemoryTable.full(MemoryTextTests.map()), MemoryTable.summary(MemoryTextTests.map()))
    #expect(summary.first == full.first && full.suffix(summary.count - 2) == summary.dropFirst(2))
  }

  @Test func linesThatMadeNoSenseAreMentioned() {
    var map = MemoryTextTests.map()
    map.unreadableLines = 3
    #expect(MemoryTable.summary(map).last == "3 lines of the kernel's list made no sense and aren't counted.")
  }

  @Test func changesHaveBarsOfOneScale() {
    let before = MemoryTextTests.map()
    var after = before
    after.regions[0].region.usage.resident += 4 << 20
    after.regions[1].region.usage.resident -= 8192
    #expect(
      MemoryChangeText.lines(MemoryChange(from: before.sums, to: after.sums), title: "Changes") == [
        "Changes",
        "",
        "                    VIRTUAL  RESIDENT     DIRTY   SWAPPED   REGIONS  RESIDENT",
        "REGION TYPE          CHANGE    CHANGE    CHANGE    CHANGE    CHANGE       NOW",
        "===========         =======  ========   =======   =======   =======  ========",
        "__TEXT                   0K    +4096K        0K        0K         0     4108K  ++++++++++++++++++++++++++++++",
        "Stack                    0K       -8K        0K        0K         0        4K  -",
        "===========         =======  ========   =======   =======   =======  ========",
        "TOTAL                    0K    +4088K        0K        0K         0     4112K",
      ])
  }

  @Test(arguments: [Int.min, -1, .max]) func aFileMayHaveAnyNumberOfRegions(_ regions: Int) throws {
    let json = """
      {"format":1,"process":1,"name":"a","threads":1,"unreadableLines":0,"regions":[],
      "total":{"regions":1,"virtual":1,"resident":1,"dirty":1,"swapped":1},
      "kinds":[{"kind":"Stack","regions":\(regions),"virtual":1,"resident":1,"dirty":1,"swapped":1}]}
      """
    let change = MemoryChange(from: try MapDocument(json: Data(json.utf8)).sums, to: MemoryTextTests.map().sums)
    #expect(MemoryChangeText.lines(change, title: "Changes").contains { $0.hasPrefix("Stack ") })
  }

  @Test func withoutAChangeTheTotalIsAll() {
    let sums = MemoryTextTests.map().sums
    let lines = MemoryChangeText.lines(MemoryChange(from: sums, to: sums), title: "Changes")
    #expect(lines.suffix(3) == ["TOTAL                    0K        0K        0K        0K         0       24K", "", "2 kinds unchanged"])
  }
}
