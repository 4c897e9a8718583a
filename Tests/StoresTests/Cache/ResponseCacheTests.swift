import Foundation
import LoadingModel
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct ResponseCacheTests {
  private let page = "http://example.test/page"

  private func target(_ url: String) throws -> Target { try #require(Target(URL(string: url))) }

  @Test func memoryAloneAnswersAtOnce() async throws {
    let cache = ResponseCache(memoryCapacity: 100_000, diskCapacity: 0, directory: nil)
    #expect(cache.holdsNothing(for: try target(page)))
    #expect(cache.candidates(for: page)?.isEmpty == true)
    let body = CacheSamples.body(1, count: 5000)
    #expect(await cache.receive(CacheSamples.response(page), [body.prefix(1000), body.dropFirst(1000)]))
    #expect(!cache.holdsNothing(for: try target(page)))
    let found = try #require(cache.candidates(for: page)?.first)
    #expect(found.bodyLength == 5000)
    #expect(cache.immediateBody(found) == body)
    cache.remove(found)
    #expect(cache.holdsNothing(for: try target(page)))
  }

  @Test(arguments: [0, 1, 5000, 16 * 1024, 16 * 1024 + 1, 300_000])
  func bodiesOfAnySizeComeBackWholeFromDisk(size: Int) async throws {
    let folder = TemporaryFolder()
    let body = CacheSamples.body(size, count: size)
    let first = CacheSamples.cache(folder)
    let pieces = stride(from: 0, to: size, by: 7000).map { body[$0..<min(size, $0 + 7000)] }
    #expect(await first.receive(CacheSamples.response(page), pieces))
    let stored = try #require(await first.loadCandidates(for: page).first)
    #expect(try await first.wholeBody(stored) == body)
    await first.flush()
    for memory in [0, 512_000] {
      let second = CacheSamples.cache(folder, memory: memory)
      let found = try #require(await second.loadCandidates(for: page).first)
      #expect(found.head.headers.first("ETag") == "\"1\"")
      #expect(try await second.wholeBody(found) == body)
      #expect(second.bodyNow(found) == body)
    }
  }

  @Test func theLaterResponseReplacesTheEarlierOfItsVariant() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder)
    let (german, english) = (HeaderFields([("Accept-Language", "de")]), HeaderFields([("accept-language", "en")]))
    #expect(await cache.receive(CacheSamples.response(page, etag: "1", sent: german), [Data("eins".utf8)]))
    #expect(await cache.receive(CacheSamples.response(page, etag: "2", sent: english), [Data("one".utf8)]))
    #expect(await cache.receive(CacheSamples.response(page, etag: "3", sent: german, at: CacheSamples.noon + 1), [Data("zwei".utf8)]))
    await cache.flush()
    for cache in [cache, CacheSamples.cache(folder)] {
      let found = await cache.loadCandidates(for: page)
      #expect(found.map { $0.head.headers.first("ETag") } == ["3", "2"])
      #expect(found.map { cache.bodyNow($0) } == [Data("zwei".utf8), Data("one".utf8)])
    }
  }

  @Test func variantsOfOneURLAreBounded() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder)
    for number in 0..<40 {
      let sent = HeaderFields([("Cookie", "n=\(number)")])
      cache.store(CacheSamples.response(page, sent: sent, at: CacheSamples.noon + Double(number)), body: Data("x".utf8))
    }
    #expect(cache.candidatesNow(for: page).count == CacheVariants.variantLimit)
    cache.flushNow()
    #expect(CacheSamples.cache(folder, memory: 0).candidatesNow(for: page).count == CacheVariants.variantLimit)
  }

  @Test func aConfirmedResponseKeepsItsBody() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder)
    cache.store(CacheSamples.response(page), body: Data("body".utf8))
    let found = try #require(cache.candidatesNow(for: page).first)
    var head = found.head
    head.headers.set("ETag", "\"2\"")
    cache.update(found, head: head, requestTime: CacheSamples.noon + 9, responseTime: CacheSamples.noon + 10)
    cache.flushNow()
    for cache in [cache, CacheSamples.cache(folder)] {
      let updated = try #require(cache.candidatesNow(for: page).first)
      #expect(updated.id == found.id)
      #expect(updated.head.headers.first("ETag") == "\"2\"")
      #expect(updated.responseTime == CacheSamples.noon + 10)
      #expect(cache.bodyNow(updated) == Data("body".utf8))
    }
  }

  @Test func whatWasRemovedIsNotFoundEvenBeforeTheDiskKnows() async throws {
    let folder = TemporaryFolder()
    for memory in [0, 512_000] {
      let cache = CacheSamples.cache(folder, memory: memory)
      for round in 0..<20 {
        cache.store(CacheSamples.response(page), body: CacheSamples.body(round, count: 30_000))
        #expect(cache.candidatesNow(for: page).count == 1)
        switch round % 4 {
        case 0: cache.removeAll(url: page)
        case 1: cache.removeAll()
        case 2: cache.removeAll(after: CacheSamples.noon - 1)
        default: for one in cache.candidatesNow(for: page) { cache.remove(one) }
        }
        #expect(cache.candidatesNow(for: page).isEmpty)
        #expect(await cache.loadCandidates(for: page).isEmpty)
      }
      #expect(cache.diskUsageNow() == 0)
      #expect(cache.memoryUsage == 0)
    }
    #expect(files(folder).isEmpty)
  }

  @Test func removalByDateKeepsTheOlder() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder)
    cache.store(CacheSamples.response(page + "1"), body: Data("a".utf8))
    cache.store(CacheSamples.response(page + "2", at: CacheSamples.noon + 10), body: Data("b".utf8))
    cache.removeAll(after: CacheSamples.noon + 5)
    cache.flushNow()
    for cache in [cache, CacheSamples.cache(folder)] {
      #expect(cache.candidatesNow(for: page + "1").count == 1)
      #expect(cache.candidatesNow(for: page + "2").isEmpty)
    }
  }

  @Test func policyDecidesWhereAResponseLives() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder)
    cache.store(CacheSamples.response(page, policy: 1), body: Data("memory".utf8))
    cache.store(CacheSamples.response(page + "2", policy: 2), body: Data("nowhere".utf8))
    #expect(cache.beginStoring(CacheSamples.response(page, policy: 2), expectedLength: 1) == nil)
    #expect(cache.candidatesNow(for: page).count == 1)
    #expect(cache.candidatesNow(for: page + "2").isEmpty)
    #expect(cache.diskUsageNow() == 0)
    #expect(cache.listNow(limit: 10).map(\.url) == [page])
    #expect(CacheSamples.cache(folder).candidatesNow(for: page).isEmpty)
  }

  @Test func aMemoryOnlyResponseReplacesTheOneOnDisk() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder)
    cache.store(CacheSamples.response(page, etag: "1"), body: Data("disk".utf8))
    cache.store(CacheSamples.response(page, etag: "2", policy: 1), body: Data("memory".utf8))
    #expect(cache.candidatesNow(for: page).map { $0.head.headers.first("ETag") } == ["2"])
    cache.flushNow()
    #expect(CacheSamples.cache(folder).candidatesNow(for: page).isEmpty)
  }

  @Test func bodiesOverTheLimitAreRefused() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder, disk: 1_000_000)
    #expect(cache.beginStoring(CacheSamples.response(page), expectedLength: 50_001) == nil)
    #expect(await !cache.receive(CacheSamples.response(page), [Data(count: 40_000), Data(count: 10_001)]))
    #expect(cache.candidatesNow(for: page).isEmpty)
    #expect(await cache.receive(CacheSamples.response(page), [Data(count: 40_000), Data(count: 10_000)]))
    await cache.flush()
    #expect(files(folder).count == 1)
  }

  @Test func abandonedBodiesLeaveNothing() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder)
    do {
      let writer = try #require(cache.beginStoring(CacheSamples.response(page), expectedLength: nil))
      #expect(await writer.append(Data(count: 200_000)))
      writer.abandon()
      #expect(await !writer.append(Data(count: 1)))
      await writer.commit(CacheSamples.response(page))
      let forgotten = try #require(cache.beginStoring(CacheSamples.response(page), expectedLength: nil))
      #expect(await forgotten.append(Data(count: 200_000)))
    }
    await cache.disk?.threads.receiving {}
    #expect(cache.candidatesNow(for: page).isEmpty)
    #expect(files(folder).isEmpty)
  }

  @Test(arguments: 0..<3) func responseUnderWayWhenItsURLIsRemovedIsNotStored(_ way: Int) async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder)
    for size in [100, 200_000] {
      let writer = try #require(cache.beginStoring(CacheSamples.response(page), expectedLength: nil))
      let other = CacheSamples.response(page + "2", at: CacheSamples.noon - 10)
      let otherWriter = try #require(cache.beginStoring(other, expectedLength: nil))
      #expect(cache.mayHaveToRemove(try target(page)))
      #expect(await writer.append(CacheSamples.body(1, count: size)))
      #expect(await otherWriter.append(CacheSamples.body(2, count: size)))
      switch way {
      case 0: cache.removeAll(url: page)
      case 1: cache.removeAll(after: CacheSamples.noon - 5)
      default: cache.removeAll()
      }
      await writer.commit(CacheSamples.response(page))
      await otherWriter.commit(other)
      #expect(cache.candidatesNow(for: page).isEmpty)
      #expect(cache.candidatesNow(for: page + "2").count == (way == 2 ? 0 : 1))
      // What begins afterwards is stored.
      #expect(await cache.receive(CacheSamples.response(page), [CacheSamples.body(3, count: size)]))
      #expect(cache.candidatesNow(for: page).count == 1)
      cache.removeAll()
      cache.flushNow()
    }
    await cache.disk?.threads.receiving {}
    #expect(files(folder).isEmpty)
    #expect(!cache.mayHaveToRemove(try target(page)))
  }

  @Test func bodyThatMayNotGoToTheDiskStaysInMemory() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder, memory: 4_000_000)
    var response = CacheSamples.response(page)
    let writer = try #require(cache.beginStoring(response, expectedLength: nil))
    writer.use(policy: 1)
    let body = CacheSamples.body(1, count: 200_000)
    #expect(!writer.waits(toAppend: body.count))
    #expect(await writer.append(body))
    #expect(!writer.waitsToCommit)
    response.storagePolicy = 1
    await writer.commit(response)
    let found = try #require(cache.candidatesNow(for: page).first)
    #expect(cache.immediateBody(found) == body)
    #expect(cache.diskUsageNow() == 0)
    #expect(files(folder).isEmpty)
  }

  @Test func anOpenBodyOutlivesItsRemoval() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder, memory: 0)
    let body = CacheSamples.body(7, count: 200_000)
    cache.store(CacheSamples.response(page), body: body)
    let found = try #require(cache.candidatesNow(for: page).first)
    let open = try #require(await cache.openBody(found))
    cache.removeAll()
    cache.flushNow()
    #expect(files(folder).isEmpty)
    #expect(try await open.read(from: 100_000, upTo: 200_000) == body.dropFirst(100_000))
    open.close()
    await #expect(throws: StoreFailure.self) { try await open.read(from: 0, upTo: 1) }
  }

  @Test func aResponseWithoutItsFileIsAMissAndGoes() async throws {
    let folder = TemporaryFolder()
    for damage in 0..<2 {
      CacheSamples.cache(folder).storeAndFlush(CacheSamples.response(page), Data(count: 30_000))
      let file = try #require(files(folder).first)
      if damage == 0 { try FileManager.default.removeItem(at: file) } else { try Data(count: 29_999).write(to: file) }
      let cache = CacheSamples.cache(folder)
      let found = try #require(cache.candidatesNow(for: page).first)
      #expect(await cache.openBody(found) == nil)
      #expect(await cache.loadCandidates(for: page).isEmpty)
      #expect(cache.diskUsageNow() == 0)
    }
  }

  @Test func aFolderThatCannotBeMadeLeavesMemory() async throws {
    let folder = TemporaryFolder()
    let file = folder.url.appending(path: "file")
    try Data().write(to: file)
    let cache = ResponseCache(memoryCapacity: 100_000, diskCapacity: 1_000_000, directory: file.appending(path: "cache"))
    cache.store(CacheSamples.response(page), body: Data("body".utf8))
    cache.flushNow()
    #expect(cache.failure != nil)
    #expect(cache.candidatesNow(for: page).map { cache.bodyNow($0) } == [Data("body".utf8)])
    #expect(cache.diskUsageNow() == 0)
  }

  @Test func aDamagedDatabaseIsBegunAnew() async throws {
    let folder = TemporaryFolder()
    CacheSamples.cache(folder).storeAndFlush(CacheSamples.response(page), Data("old".utf8))
    let database = folder.url.appending(path: DiskCache.fileName)
    // Without its log, out of which SQLite would mend it.
    for suffix in ["", "-wal", "-shm"] { unlink(database.path(percentEncoded: false) + suffix) }
    try Data("this is no database, but long enough to be looked at as one".utf8).write(to: database)
    let cache = CacheSamples.cache(folder)
    #expect(cache.candidatesNow(for: page).isEmpty)
    cache.storeAndFlush(CacheSamples.response(page), Data("new".utf8))
    #expect(CacheSamples.cache(folder).candidatesNow(for: page).count == 1)
  }

  @Test func recordsSurviveTheirCodingAndNothingElseDoes() throws {
    var response = CacheSamples.response(page, sent: HeaderFields([("Cookie", "a=1")]))
    response.userInfo = Data([1, 2, 3])
    response.source = .app
    response.appHead = ResponseHead(status: 203, reason: "x", headers: HeaderFields([("a", "b")]))
    response.responseURL = "http://other.test/"
    let record = response.record
    let read = try StoredResponse(id: response.id, url: page, bodyLength: 0, lastUse: response.lastUse, record: record)
    #expect(read.record == record)
    #expect(read.appHead?.status == 203)
    #expect(read.userInfo == Data([1, 2, 3]))
    for count in 0..<record.count {
      #expect(throws: RecordReader.Malformed.self) {
        try StoredResponse(id: 1, url: page, bodyLength: 0, lastUse: response.lastUse, record: record.prefix(count))
      }
    }
  }

  private func files(_ folder: TemporaryFolder) -> [URL] { folder.bodyFiles }
}

extension ResponseCache {
  func storeAndFlush(_ response: StoredResponse, _ body: Data) {
    store(response, body: body)
    flushNow()
  }
}

extension TemporaryFolder {
  /// The files of bodies, finished or not.
  var bodyFiles: [URL] {
    let files = FileManager.default.enumerator(at: url.appending(path: "bodies"), includingPropertiesForKeys: [.isRegularFileKey])
    return (files?.compactMap { $0 as? URL } ?? []).filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
  }
}
