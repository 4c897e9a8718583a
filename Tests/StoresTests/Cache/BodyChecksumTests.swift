import CLoadingCompression
import Foundation
import LoadingModel
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct BodyChecksumTests {
  private let page = "http://example.test/page"
  private let folder = TemporaryFolder()

  /// Turns over one bit of a file.
  private func damage(_ file: URL, at offset: Int) throws {
    var data = try Data(contentsOf: file)
    data[offset] ^= 0x10
    try data.write(to: file)
  }

  private func files() -> [URL] { folder.bodyFiles }

  @Test(
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ] as [(String, UInt64)])
  func checksumIsXXH64(_ text: String, _ sum: UInt64) {
    let bytes = Array(text.utf8)
    #expect(uls_checksum(bytes, bytes.count, 0) == sum)
  }

  @Test(arguments: [17_000, 65_536, 65_537, 300_000]) func fileThatWasChangedAnywhereIsAMissAndGoes(_ size: Int) async throws {
    for offset in [0, size / 2, size - 1, size, size + 7] {
      CacheSamples.cache(folder).storeAndFlush(CacheSamples.response(page), CacheSamples.body(1, count: size))
      let file = try #require(files().first)
      try damage(file, at: offset)
      let cache = CacheSamples.cache(folder)
      let found = try #require(cache.candidatesNow(for: page).first)
      #expect(await cache.openBody(found) == nil)
      #expect(cache.bodyNow(found) == nil)
      #expect(await cache.loadCandidates(for: page).isEmpty)
      #expect(cache.diskUsageNow() == 0)
      cache.flushNow()
      #expect(files().isEmpty)
    }
  }

  @Test func rowThatWasChangedIsAMiss() async throws {
    CacheSamples.cache(folder).storeAndFlush(CacheSamples.response(page), Data("body".utf8))
    let database = try DatabaseConnections(path: folder.url.appending(path: DiskCache.fileName).path())
    let stored = try database.read { try Data.fetchOne($0, sql: "SELECT bytes FROM bodies") }
    let row = try #require(stored)
    #expect(row.count == 12)
    var changed = row
    changed[0] ^= 1
    try database.write { [changed] in try $0.execute(sql: "UPDATE bodies SET bytes = ?", arguments: [changed]) }
    #expect(await CacheSamples.cache(folder).loadCandidates(for: page).isEmpty)
    try database.write { try $0.execute(sql: "UPDATE bodies SET bytes = ?", arguments: [row]) }
    let cache = CacheSamples.cache(folder)
    #expect(cache.candidatesNow(for: page).first.flatMap { cache.bodyNow($0) } == Data("body".utf8))
  }

  @Test func largeBodyGivesOutNothingOfADamagedBlock() async throws {
    let body = CacheSamples.body(2, count: (4 << 20) + 100_000)
    CacheSamples.cache(folder, disk: 1 << 28).storeAndFlush(CacheSamples.response(page), body)
    let bad = 3 << 20
    let file = try #require(files().first)
    try damage(file, at: bad)
    let cache = CacheSamples.cache(folder, memory: 0, disk: 1 << 28)
    let found = try #require(cache.candidatesNow(for: page).first)
    let open = try #require(await cache.openBody(found))
    #expect(try await open.read(from: 0, upTo: 1 << 20) == body.prefix(1 << 20))
    #expect(try await open.read(from: 70_001, upTo: 131_072) == body.dropFirst(70_001).prefix(131_072))
    #expect(try await open.read(from: Int64(bad - 10), upTo: 10) == body.dropFirst(bad - 10).prefix(10))
    for offset in [bad - 10, bad, bad + 65_535] {
      await #expect(throws: StoreFailure.self) { try await open.read(from: Int64(offset), upTo: 20) }
    }
    #expect(try await open.read(from: Int64(bad + 65_536), upTo: 2 << 20) == body.dropFirst(bad + 65_536))
    open.close()
  }

  @Test func bodyUnderAnothersNameIsAMiss() async throws {
    let cache = CacheSamples.cache(folder)
    for number in 0..<2 { cache.store(CacheSamples.response("\(page)/\(number)"), body: CacheSamples.body(number, count: 20_000)) }
    cache.flushNow()
    let both = files()
    try #require(both.count == 2)
    let contents = try both.map { try Data(contentsOf: $0) }
    for index in 0..<2 { try contents[1 - index].write(to: both[index]) }
    let other = CacheSamples.cache(folder)
    for number in 0..<2 {
      let found = try #require(other.candidatesNow(for: "\(page)/\(number)").first)
      #expect(other.bodyNow(found) == nil)
    }
  }

  @Test func bodiesOfAnEarlierVersionWithoutChecksumsAreDropped() async throws {
    let cache = CacheSamples.cache(folder)
    cache.storeAndFlush(CacheSamples.response(page), Data("body".utf8))
    let database = try DatabaseConnections(path: folder.url.appending(path: DiskCache.fileName).path())
    try database.write { database in
      try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'cache 2'")
      try database.execute(sql: "UPDATE bodies SET bytes = ?", arguments: [Data("body".utf8)])
    }
    let later = CacheSamples.cache(folder)
    #expect(await later.loadCandidates(for: page).isEmpty)
    #expect(later.diskUsageNow() == 0)
    later.storeAndFlush(CacheSamples.response(page), Data("anew".utf8))
    #expect(later.candidatesNow(for: page).first.flatMap { later.bodyNow($0) } == Data("anew".utf8))
  }
}
