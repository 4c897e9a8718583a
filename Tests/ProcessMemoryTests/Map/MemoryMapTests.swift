import Foundation
import Testing

@testable import ProcessMemory

@Suite struct MemoryMapTests {
  static func map(_ regions: [(RegionKind, size: UInt64, resident: UInt64)]) -> MemoryMap {
    var start: UInt64 = 0x10000
    let mapped = regions.map { kind, size, resident in
      var region = MemoryRegion(start, size: size, "rw-p")
      region.usage.set("Rss", bytes: resident)
      region.usage.set("Private_Dirty", bytes: resident)
      start += size + 0x1000
      return MappedRegion(region, kind)
    }
    return MemoryMap(process: 7, name: "app", threads: 2, regions: mapped)
  }

  @Test func sumsAreInTheOrderOfKindsAndMakeUpTheTotal() {
    let map = MemoryMapTests.map([(.stack, 0x2000, 0x1000), (.malloc, 0x4000, 0x3000), (.stack, 0x2000, 0)])
    #expect(map.sums.map(\.kind) == [.malloc, .stack])
    #expect(map.sums.map(\.totals.regions) == [1, 2] && map.sums.map(\.totals.size) == [0x4000, 0x4000])
    #expect(map.total.regions == 3 && map.total.size == 0x8000 && map.total.usage.resident == 0x4000 && map.total.usage.dirty == 0x4000)
  }

  @Test func aChangeHasTheKindsOfBothMoments() {
    let before = MemoryMapTests.map([(.malloc, 0x4000, 0x4000), (.stack, 0x2000, 0)])
    let after = MemoryMapTests.map([(.malloc, 0x4000, 0x1000), (.mappedFile, 0x8000, 0x2000)])
    let change = MemoryChange(from: before.sums, to: after.sums)
    #expect(change.rows.map(\.kind) == [.malloc, .stack, .mappedFile])
    #expect(change.rows.map { $0.change(\.size) } == [0, -0x2000, 0x8000])
    #expect(change.rows.map { $0.change(\.usage.resident) } == [-0x3000, 0, 0x2000])
    #expect(change.total.change(\.usage.resident) == -0x1000)
    #expect(change.rows.map(\.isUnchanged) == [false, false, false])
    #expect(MemoryChange(from: after.sums, to: after.sums).rows.allSatisfy { $0.isUnchanged })
  }

  @Test func aChangeBeyondItsNumbersIsTheLargest() {
    var huge = KindTotals()
    huge.size = .max
    let row = MemoryChange.Row(kind: .malloc, before: KindTotals(), after: huge)
    #expect(row.change(\.size) == .max)
  }

  @Test func aDocumentIsReadAsItWasWritten() throws {
    var map = MemoryMapTests.map([(.malloc, 0x4000, 0x3000), (.stack, 0x2000, 0x1000)])
    map.regions[1].use = .threads([ProcessThread(id: 9, name: "worker \"1\"", stackPointer: 4)])
    map.regions[0].use = .mainHeap
    map.regions[0].region.name = "[heap]"
    map.regions.append(MappedRegion(MemoryRegion(0x7fff_ffff_f000, size: 0x1000, "r--s", "/a/b", offset: 0x1000), .mappedFile))
    let document = try MapDocument(json: MapDocument(map).json)
    #expect(document == MapDocument(map))
    #expect(document.regions.map(\.start) == ["00010000", "00015000", "7ffffffff000"])
    #expect(document.regions.map(\.file) == [nil, nil, "/a/b"] && document.regions.map(\.offset) == [nil, nil, 0x1000])
    #expect(
      document.regions[0].detail == "[heap] main heap" && document.regions[1].threads == [MapDocument.Thread(id: 9, name: "worker \"1\"")])
    #expect(MemoryChange(from: document.sums, to: map.sums).rows.allSatisfy { $0.isUnchanged })
  }

  @Test func theKeysOfADocumentAreThese() throws {
    var map = MemoryMapTests.map([(.stack, 0x2000, 0x1000)])
    map.regions[0].use = .threads([ProcessThread(id: 9, name: "w")])
    let object = try #require(try JSONSerialization.jsonObject(with: MapDocument(map).json) as? [String: Any])
    #expect(Set(object.keys) == ["format", "kinds", "name", "process", "regions", "threads", "total", "unreadableLines"])
    let kind = try #require((object["kinds"] as? [[String: Any]])?.first)
    #expect(Set(kind.keys) == ["dirty", "kind", "regions", "resident", "swapped", "virtual"])
    let region = try #require((object["regions"] as? [[String: Any]])?.first)
    #expect(
      Set(region.keys) == [
        "detail", "dirty", "end", "kind", "permissions", "proportional", "resident", "start", "swapped", "threads", "virtual",
      ])
  }

  @Test(arguments: ["", "{}", "[1]", "{\"format\":1}", "\u{0}"]) func whatIsNoDocumentIsRefused(_ text: String) {
    #expect(throws: MapDocumentFailure.unreadable) { try MapDocument(json: Data(text.utf8)) }
  }

  @Test func aLaterFormatIsRefusedByItsNumber() throws {
    var document = MapDocument(MemoryMapTests.map([]))
    document.format = 2
    #expect(throws: MapDocumentFailure.laterFormat(2)) { try MapDocument(json: document.json) }
  }
}
