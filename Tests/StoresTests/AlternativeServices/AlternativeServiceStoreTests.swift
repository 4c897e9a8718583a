import Foundation
import LoadingModel
import ProtocolRules
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct AlternativeServiceStoreTests {
  private let folder = TemporaryFolder()
  private let now = Date(timeIntervalSince1970: 1_700_000_000)
  private let origin = Origin(scheme: "https", host: "a.example", port: 8443)
  private var file: URL { folder.url.appending(path: "deep/alternatives.sqlite") }

  private func head(_ value: String) -> ResponseHead { ResponseHead(status: 200, headers: HeaderFields([("Alt-Svc", value)])) }

  @Test func storeInMemoryAnswersAtOnceAndIsItsOwn() {
    let store = AlternativeServiceStore()
    #expect(store.isCurrent)
    store.note(head(#"h3=":443";ma=60"#), from: origin, now: now)
    #expect(store.services(of: origin, now: now) == [AlternativeService("h3", port: 443)])
    #expect(store.services(of: origin, now: now + 60).isEmpty)
    #expect(AlternativeServiceStore().services(of: origin, now: now).isEmpty)
  }

  @Test func whatWasNotedIsThereAfterReopeningInItsOrder() async {
    let first = AlternativeServiceStore(file: file)
    first.note(head(#"h3="b.example:443";ma=60, h3=":444";ma=3600;persist=1, h2="[::1]:9";ma=3600"#), from: origin, now: now)
    await first.flush()
    let second = AlternativeServiceStore(file: file)
    #expect(!second.isCurrent)
    #expect(second.services(of: origin, now: now).isEmpty)
    await second.refresh()
    #expect(second.isCurrent)
    let expected = [
      AlternativeService("h3", host: "b.example", port: 443), AlternativeService("h3", port: 444),
      AlternativeService("h2", host: "::1", port: 9),
    ]
    #expect(second.services(of: origin, now: now) == expected)
    #expect(second.services(of: origin, now: now + 60) == Array(expected.dropFirst()))
    #expect(second.services(of: Origin(scheme: "https", host: "a.example", port: 443), now: now).isEmpty)
  }

  @Test func changeOfNetworkLeavesOnDiskWhatOutlastsIt() async {
    let first = AlternativeServiceStore(file: file)
    let other = Origin(scheme: "https", host: "b.example", port: 443)
    first.note(head(#"h3=":443", h3=":444";persist=1"#), from: origin, now: now)
    first.note(head(#"h3=":443""#), from: other, now: now)
    await first.flush()
    // A process that hasn't looked at the disk yet.
    let second = AlternativeServiceStore(file: file)
    second.networkChanged(now: now)
    await second.flush()
    #expect(second.services(of: origin, now: now).map(\.port) == [444])
    let third = AlternativeServiceStore(file: file)
    await third.refresh()
    #expect(third.services(of: origin, now: now).map(\.port) == [444])
    #expect(third.services(of: other, now: now).isEmpty)
  }

  @Test func storesOfTwoProcessesSeeEachOthersChanges() async {
    let (first, second) = (AlternativeServiceStore(file: file), AlternativeServiceStore(file: file))
    await first.refresh()
    await second.refresh()
    first.note(head(#"h3=":443""#), from: origin, now: now)
    await first.flush()
    #expect(!second.isCurrent)
    await second.refresh()
    #expect(second.services(of: origin, now: now).count == 1)
    second.note(head("clear"), from: origin, now: now)
    await second.flush()
    await first.refresh()
    #expect(first.services(of: origin, now: now).isEmpty)
    first.note(head(#"h3=":443""#), from: origin, now: now)
    second.removeAll()
    await first.flush()
    await second.flush()
    let third = AlternativeServiceStore(file: file)
    await third.refresh()
    await first.refresh()
    #expect(first.services(of: origin, now: now) == third.services(of: origin, now: now))
  }

  @Test func repeatingAFieldWritesNothing() async {
    let store = AlternativeServiceStore(file: file)
    store.note(head(#"h3=":443";ma=1000"#), from: origin, now: now)
    await store.flush()
    let counter = ChangeCounter(beside: file)
    let count = counter.value
    for second in 0..<10 { store.note(head(#"h3=":443";ma=1000"#), from: origin, now: now + Double(second)) }
    await store.flush()
    #expect(counter.value == count)
  }

  @Test func originsOnDiskAreBounded() async throws {
    let store = AlternativeServiceStore(file: file)
    for number in 0..<(AlternativeServiceMemory.limit + 5) {
      store.note(head(#"h3=":443""#), from: Origin(scheme: "https", host: "h\(number).example", port: 443), now: now + Double(number))
    }
    await store.flush()
    let reader = AlternativeServiceStore(file: file)
    await reader.refresh()
    func knows(_ number: Int) -> Bool {
      !reader.services(of: Origin(scheme: "https", host: "h\(number).example", port: 443), now: now + 2000).isEmpty
    }
    #expect(!knows(0) && knows(AlternativeServiceMemory.limit + 4))
    let database = try StoreDatabase(url: file, migrations: AlternativeServiceMemory.register)
    let count = try database.read { try Row.fetchAll($0, sql: "SELECT count(*) FROM alternative").first?.value(0, Int.self) }
    #expect(try #require(count) <= AlternativeServiceMemory.limit)
  }

  @Test func rowsThatMakeNoSenseAreLeftOut() async throws {
    let database = try StoreDatabase(url: file, migrations: AlternativeServiceMemory.register)
    try database.write { database in
      for (place, port, expires) in [(0, 443, 1e300), (1, 70_000, 1_800_000_000), (2, 444, 1_800_000_000)] as [(Int, Int, Double)] {
        try database.execute(
          sql: "INSERT INTO alternative VALUES ('a.example', 8443, ?, 'h3', NULL, ?, ?, 0, 1700000000)", arguments: [place, port, expires])
      }
    }
    database.close()
    let store = AlternativeServiceStore(file: file)
    await store.refresh()
    #expect(store.services(of: origin, now: now).map(\.port) == [444])
  }

  @Test func diskThatCannotBeUsedLeavesAStoreInMemory() async throws {
    try Data("in the way".utf8).write(to: folder.url.appending(path: "deep"))
    let store = AlternativeServiceStore(file: file)
    store.note(head(#"h3=":443""#), from: origin, now: now)
    await store.flush()
    await store.refresh()
    #expect(store.services(of: origin, now: now).count == 1)
  }
}
