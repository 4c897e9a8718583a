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

  /// Notes hosts that need many pages, and forgets most of them again: their pages are free.
  private func makeFreePages(_ store: HSTSStore) async {
    let hosts = (0..<1000).map { "h\($0).a-name-of-some-length.example" }
    for host in hosts { store.note(year, from: host, now: now) }
    await store.flush()
    for host in hosts { store.note(.init(maxAge: 0, includesSubdomains: false), from: host, now: now) }
    await store.flush()
  }

  @Test func damageThatOnlyAChangeMeetsLosesNoHost() async throws {
    let store = HSTSStore(file: file)
    store.note(year, from: "old.example", now: now)
    await makeFreePages(store)
    try DamagedFreeList.make(in: file, after: "UPDATE host SET subdomains = 0")
    // Enough to need a page of the list.
    for number in 0..<1000 { store.note(year, from: "n\(number).a-name-of-some-length.example", now: now) }
    await store.flush()
    #expect(FileManager.default.fileExists(atPath: file.path() + ".corrupt-1"))
    let second = HSTSStore(file: file)
    #expect(await ask(second, "old.example") == true)
    #expect(await ask(second, "n999.a-name-of-some-length.example") == true)
    // Also once it has read what others have changed.
    second.note(year, from: "another.example", now: now)
    await second.flush()
    #expect(await ask(store, "another.example") == true)
    #expect(await ask(store, "old.example") == true)
  }

  /// Damages the file of a store that is in use: reading meets it.
  private func damage() throws {
    let database = try DatabaseConnections(path: file.path())
    // What the log has is written into the file, and other connections have to read again.
    try database.write { try $0.execute(sql: "UPDATE host SET subdomains = 0") }
    try database.withWriter { try $0.truncateLog() }
    database.close()
    try Data(repeating: 7, count: 10_000).write(to: file)
  }

  @Test func damageThatALookMeetsLosesNoHost() async throws {
    let store = HSTSStore(file: file)
    store.note(year, from: "old.example", now: now)
    await store.flush()
    try #require(await ask(store, "old.example") == true)
    try damage()
    // As if another process had changed the store.
    ChangeCounter(beside: file).bump()
    #expect(await ask(store, "old.example") == true)
    #expect(FileManager.default.fileExists(atPath: file.path() + ".corrupt-1"))
    #expect(await ask(HSTSStore(file: file), "old.example") == true)
  }

  @Test func hostsInMemoryOutliveAFileThatANewProcessFindsDamaged() async throws {
    let store = HSTSStore(file: file)
    store.note(year, from: "old.example", now: now)
    await store.flush()
    try #require(await ask(store, "old.example") == true)
    try damage()
    _ = await ask(HSTSStore(file: file), "old.example")
    #expect(await ask(store, "old.example") == true)
    #expect(await ask(HSTSStore(file: file), "old.example") == true)
  }

  @Test func hostsOfAFileThatAnotherProcessHasReplacedAreSharedAgain() async throws {
    let store = HSTSStore(file: file)
    store.note(year, from: "old.example", now: now)
    await store.flush()
    try moveAside()
    let other = HSTSStore(file: file)
    other.note(year, from: "theirs.example", now: now)
    await other.flush()
    #expect(await ask(store, "theirs.example") == true)
    #expect(await ask(store, "old.example") == true)
    store.note(year, from: "mine.example", now: now)
    await store.flush()
    let third = HSTSStore(file: file)
    for host in ["old.example", "theirs.example", "mine.example"] { #expect(await ask(third, host) == true, "\(host)") }
  }

  @Test func changeThatMeetsAnotherProcesssNewFileIsWrittenThere() async throws {
    let store = HSTSStore(file: file)
    store.note(year, from: "old.example", now: now)
    await store.flush()
    try moveAside()
    // The file is made, and nothing tells `store` of it before its own change.
    try StoreDatabase(url: file, migrations: HSTSHosts.register).close()
    store.note(year, from: "mine.example", now: now)
    await store.flush()
    let other = HSTSStore(file: file)
    for host in ["old.example", "mine.example"] { #expect(await ask(other, host) == true, "\(host)") }
  }

  @Test func hostsOfAFileThatWasDeletedDoNotComeBack() async throws {
    let store = HSTSStore(file: file)
    store.note(year, from: "old.example", now: now)
    await store.flush()
    try moveAside()
    try FileManager.default.removeItem(atPath: file.path() + ".corrupt-1")
    let other = HSTSStore(file: file)
    other.note(year, from: "theirs.example", now: now)
    await other.flush()
    #expect(await ask(store, "theirs.example") == true)
    #expect(await ask(store, "old.example") == false)
  }

  /// As another process does that finds damage.
  private func moveAside() throws {
    try FileManager.default.moveItem(atPath: file.path(), toPath: file.path() + ".corrupt-1")
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path() + suffix) }
  }

  @Test func newerNoteRemainsWhereAProcessFillsANewFile() async throws {
    let table = TableFile<HSTSHosts>(file)
    func entry(_ noted: Date) -> HSTSHost { HSTSHost(includesSubdomains: false, expires: now + 100, noted: noted) }
    try #require(table.write([.set("both.example", entry(now)), .set("there.example", entry(now))], clearing: false) != nil)
    let memory = HSTSHosts(["both.example": entry(now - 10), "there.example": entry(now + 10), "mine.example": entry(now - 10)])
    #expect(table.fill(memory))
    let hosts = try #require(table.read()).table.table
    #expect(hosts["both.example"] == entry(now) && hosts["there.example"] == entry(now + 10))
    #expect(hosts["mine.example"] == entry(now - 10))
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
