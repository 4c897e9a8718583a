import Foundation
import LoadingModel
import Testing

@testable import Stores

/// Two caches on one folder know no more of each other than two processes do.
@Suite(.timeLimit(.minutes(10))) struct CacheSharingTests {
  private let page = "http://example.test/page"

  private func pair(_ folder: TemporaryFolder) async throws -> (ResponseCache, ResponseCache) {
    let pair = (CacheSamples.cache(folder), CacheSamples.cache(folder))
    for cache in [pair.0, pair.1] {
      _ = cache.candidatesNow(for: "http://example.test/nothing")
      cache.flushNow()
      await cache.disk?.threads.receiving {}
    }
    return pair
  }

  @Test func eachSeesWhatTheOtherStores() async throws {
    let folder = TemporaryFolder()
    let (first, second) = try await pair(folder)
    let target = try #require(Target(URL(string: page)))
    #expect(second.holdsNothing(for: target))
    first.storeAndFlush(CacheSamples.response(page, etag: "1"), Data("one".utf8))
    #expect(!second.holdsNothing(for: target))
    #expect(second.candidatesNow(for: page).map { second.bodyNow($0) } == [Data("one".utf8)])
    second.storeAndFlush(CacheSamples.response(page, etag: "2"), Data("two".utf8))
    #expect(await first.loadCandidates(for: page).map { $0.head.headers.first("ETag") } == ["2"])
    #expect(first.candidatesNow(for: page).map { first.bodyNow($0) } == [Data("two".utf8)])
  }

  @Test func eachSeesWhatTheOtherRemoves() async throws {
    let folder = TemporaryFolder()
    let (first, second) = try await pair(folder)
    first.storeAndFlush(CacheSamples.response(page), Data("one".utf8))
    #expect(second.candidatesNow(for: page).count == 1)
    #expect(second.candidates(for: page)?.count == 1)
    first.removeAll(url: page)
    first.flushNow()
    #expect(second.candidatesNow(for: page).isEmpty)
    first.storeAndFlush(CacheSamples.response(page), Data("one".utf8))
    #expect(second.candidatesNow(for: page).count == 1)
    first.removeAll()
    first.flushNow()
    #expect(second.candidatesNow(for: page).isEmpty)
    #expect(first.candidatesNow(for: page).isEmpty)
  }

  @Test func ownChangesDoNotSendOneToTheDisk() async throws {
    let folder = TemporaryFolder()
    let (first, _) = try await pair(folder)
    for number in 0..<10 {
      first.storeAndFlush(CacheSamples.response(page + "\(number)"), Data("x".utf8))
      #expect(first.candidates(for: page + "\(number)")?.count == 1)
      #expect(first.candidates(for: page + "none")?.isEmpty == true)
    }
  }

  /// As another process does that finds damage.
  private func moveAside(_ folder: TemporaryFolder) throws {
    let path = folder.url.appending(path: DiskCache.fileName).path(percentEncoded: false)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".corrupt-1")
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  @Test func aReplacedFileIsFollowedByLookUps() async throws {
    let folder = TemporaryFolder()
    let (first, _) = try await pair(folder)
    first.storeAndFlush(CacheSamples.response(page), Data("one".utf8))
    #expect(first.candidatesNow(for: page).map { first.bodyNow($0) } == [Data("one".utf8)])
    try moveAside(folder)
    let other = CacheSamples.cache(folder)
    other.storeAndFlush(CacheSamples.response(page + "2"), Data("two".utf8))
    // Responses of the old file no longer count: removals by other processes wouldn't reach them.
    #expect(first.candidatesNow(for: page).isEmpty)
    #expect(first.candidatesNow(for: page + "2").map { first.bodyNow($0) } == [Data("two".utf8)])
    other.removeAll()
    other.flushNow()
    #expect(first.candidatesNow(for: page + "2").isEmpty)
  }

  @Test func aReplacedFileIsFollowedByChanges() async throws {
    let folder = TemporaryFolder()
    let (first, _) = try await pair(folder)
    first.storeAndFlush(CacheSamples.response(page), Data("one".utf8))
    try moveAside(folder)
    // The file is made, and nothing tells `first` of it before its own change.
    let other = CacheSamples.cache(folder)
    #expect(other.candidatesNow(for: page).isEmpty)
    first.storeAndFlush(CacheSamples.response(page + "2"), Data("two".utf8))
    #expect(other.candidatesNow(for: page + "2").map { other.bodyNow($0) } == [Data("two".utf8)])
    #expect(first.candidatesNow(for: page).isEmpty)
    #expect(first.candidatesNow(for: page + "2").map { first.bodyNow($0) } == [Data("two".utf8)])
  }

  @Test func nothingIsWrittenWhereTheNewFileCannotBeOpened() throws {
    let folder = TemporaryFolder()
    let disk = try DiskCache(directory: folder.url)
    defer { disk.close() }
    try moveAside(folder)
    let file = folder.url.appending(path: DiskCache.fileName)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    for _ in 0..<3 {
      #expect(throws: StoreFailure.self) { try disk.perform([], uses: [:], capacity: 1 << 20) }
      #expect(throws: StoreFailure.self) { try disk.changes(after: 0) }
    }
    try FileManager.default.removeItem(at: file)
    let other = try DiskCache(directory: folder.url)
    defer { other.close() }
    _ = try disk.perform([.removeAll], uses: [:], capacity: 1 << 20)
    #expect(other.counter.value == disk.counter.value)
  }

  @Test func longAbsenceIsMadeUpFor() async throws {
    let folder = TemporaryFolder()
    let (first, second) = try await pair(folder)
    second.store(CacheSamples.response(page + "own", policy: 1), body: Data("own".utf8))
    for number in 0..<5000 { first.store(CacheSamples.response(page + "\(number)"), body: Data()) }
    first.flushNow()
    #expect(second.candidatesNow(for: page + "0").count == 1)
    #expect(second.candidatesNow(for: page + "4999").count == 1)
    #expect(second.candidatesNow(for: page + "own").count == 1)
    #expect(second.candidatesNow(for: page + "none").isEmpty)
  }

  @Test func manyThreadsUseOneCache() async throws {
    let folder = TemporaryFolder()
    let (first, second) = try await pair(folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        let cache = worker % 2 == 0 ? first : second
        group.addTask {
          for round in 0..<40 {
            let url = "http://example.test/\((worker + round) % 10)"
            let size = [10, 20_000, 100_000][round % 3]
            if round % 5 == 4 { cache.removeAll(url: url) }
            _ = await cache.receive(CacheSamples.response(url, etag: "\(size)"), [CacheSamples.body(size, count: size)])
            for found in await cache.loadCandidates(for: url) {
              guard let body = try await cache.wholeBody(found) else { continue }
              #expect(body == CacheSamples.body(body.count, count: body.count))
              #expect(found.head.headers.first("ETag") == "\(body.count)")
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
