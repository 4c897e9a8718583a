import Foundation
import ProtocolRules
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct HSTSStoreTests {
  private let folder = TemporaryFolder()
  private let now = Date(timeIntervalSince1970: 1_700_000_000)
  private let year = StrictTransportSecurity(maxAge: 31_536_000, includesSubdomains: true)
  private var file: URL { folder.url.appending(path: "deep/hsts.sqlite") }

  /// The answer, with the look at the disk that it may need.
  private func ask(_ store: HSTSStore, _ host: String) async -> Bool? {
    if let known = store.requiresTLS(host, now: now) { return known }
    await store.refresh()
    return store.requiresTLS(host, now: now)
  }

  @Test func storeInMemoryAnswersAtOnceAndTouchesNoDisk() {
    let store = HSTSStore()
    #expect(store.requiresTLS("a.example", now: now) == false)
    store.note(year, from: "a.example", now: now)
    #expect(store.requiresTLS("www.a.example", now: now) == true)
    #expect(HSTSStore().requiresTLS("a.example", now: now) == false)
    store.removeAll()
    #expect(store.requiresTLS("a.example", now: now) == false)
  }

  @Test func whatWasNotedIsThereAfterReopening() async {
    let first = HSTSStore(file: file)
    #expect(first.requiresTLS("a.example", now: now) == nil)
    first.note(year, from: "a.example", now: now)
    first.note(.init(maxAge: 100, includesSubdomains: false), from: "b.example", now: now)
    await first.flush()
    #expect(first.requiresTLS("a.example", now: now) == true)
    let second = HSTSStore(file: file)
    #expect(await ask(second, "x.a.example") == true)
    #expect(await ask(second, "b.example") == true)
    #expect(second.requiresTLS("x.b.example", now: now) == false)
    #expect(second.requiresTLS("b.example", now: now + 100) == false)
  }

  @Test func storesOfTwoProcessesSeeEachOthersChanges() async {
    let (first, second) = (HSTSStore(file: file), HSTSStore(file: file))
    #expect(await ask(first, "a.example") == false)
    #expect(await ask(second, "a.example") == false)
    first.note(year, from: "a.example", now: now)
    await first.flush()
    #expect(first.requiresTLS("a.example", now: now) == true)
    #expect(second.requiresTLS("a.example", now: now) == nil)
    #expect(await ask(second, "a.example") == true)
    second.note(.init(maxAge: 0, includesSubdomains: false), from: "a.example", now: now)
    await second.flush()
    #expect(await ask(first, "a.example") == false)
    first.note(year, from: "c.example", now: now)
    await first.flush()
    second.removeAll()
    await second.flush()
    #expect(await ask(first, "c.example") == false)
    #expect(await ask(HSTSStore(file: file), "c.example") == false)
  }

  @Test func repeatingAPolicyWritesNothing() async {
    let store = HSTSStore(file: file)
    store.note(year, from: "a.example", now: now)
    await store.flush()
    let counter = ChangeCounter(beside: file)
    let count = counter.value
    for second in 0..<10 { store.note(year, from: "a.example", now: now + Double(second)) }
    await store.flush()
    let other = HSTSStore(file: file)
    other.note(year, from: "a.example", now: now + 20)
    await other.flush()
    #expect(counter.value == count)
  }

  @Test func diskThatCannotBeUsedLeavesAStoreInMemory() async throws {
    try Data("in the way".utf8).write(to: folder.url.appending(path: "deep"))
    let store = HSTSStore(file: file)
    store.note(year, from: "a.example", now: now)
    await store.flush()
    #expect(await ask(store, "a.example") == true)
  }

  @Test func damageThatOnlyAChangeMeetsBeginsANewFile() throws {
    let table = TableFile<HSTSHosts>(file)
    let entry = HSTSHost(includesSubdomains: true, expires: now + 100, noted: now)
    // Enough to need many pages.
    let hosts = (0..<1000).map { "h\($0).a-name-of-some-length.example" }
    try #require(table.write(hosts.map { .set($0, entry) }, clearing: false) != nil)
    try #require(table.write([.set("kept.example", entry)], clearing: true) != nil)
    try DamagedFreeList.make(in: file, after: "UPDATE host SET subdomains = 0")
    #expect(table.read()?.table.table.count == 1)
    #expect(table.write(hosts.map { .set($0, entry) }, clearing: false) != nil)
    #expect(FileManager.default.fileExists(atPath: file.path() + ".corrupt-1"))
    #expect(TableFile<HSTSHosts>(file).read()?.table.table.count == 1000)
  }

  @Test func manyWritersLoseNothing() async {
    let stores = (0..<4).map { _ in HSTSStore(file: file) }
    await withTaskGroup(of: Void.self) { group in
      for (index, store) in stores.enumerated() {
        group.addTask { [year, now] in
          for number in 0..<25 { store.note(year, from: "h\(number).s\(index).example", now: now) }
          await store.flush()
        }
      }
    }
    let reader = HSTSStore(file: file)
    await reader.refresh()
    let missing = (0..<4).flatMap { index in (0..<25).map { "h\($0).s\(index).example" } }
      .filter { reader.requiresTLS($0, now: now) != true }
    #expect(missing.isEmpty)
  }
}
