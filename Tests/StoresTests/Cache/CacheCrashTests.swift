import ChildProcesses
import Foundation
import LoadingModel
import Testing

@testable import Stores

/// Processes that store into one cache are killed at arbitrary points; what they said was stored must be there and whole.
///
/// The children are this test program again, told by a variable of the environment to run `childStoresUntilItIsKilled` alone.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CacheCrashTests {
  private static let folderVariable = "STORES_TESTS_CACHE_FOLDER"
  private static let seedVariable = "STORES_TESTS_CACHE_SEED"
  private static let sizes = [100, 5000, 16 * 1024, 40_000, 150_000]

  private static var childFolder: URL? {
    ProcessInfo.processInfo.environment[folderVariable].map { URL(filePath: $0, directoryHint: .isDirectory) }
  }

  private static func page(_ number: Int) -> String { "http://example.test/\(number)" }

  private static func cache(_ folder: URL) -> ResponseCache {
    ResponseCache(memoryCapacity: 100_000, diskCapacity: 200_000_000, directory: folder.appending(path: "cache"))
  }

  @Test func whatWasAcknowledgedSurvivesKillsAndIsWhole() async throws {
    let folder = TemporaryFolder()
    let channel = try ReportPipe(folder.url)
    let witness = Self.cache(folder.url)
    var acknowledged: Set<Int> = []
    for round in 0..<4 {
      let children = try (0..<2).map { try Self.child(folder.url, seed: (round * 2 + $0 + 1) * 100_000) }
      let wanted = Int.random(in: 5...40)
      let news = await channel.next(wanted)
      #expect(news.count >= wanted, "the children said nothing for too long")
      for child in children {
        child.kill()
        #expect(await child.end() == .signal(SIGKILL))
      }
      acknowledged.formUnion((news + channel.rest()).compactMap { Int($0) })
      // A cache that was open all the time sees what the dead have left.
      for number in acknowledged.shuffled().prefix(10) { try Self.check(number, in: witness) }
    }
    let after = Self.cache(folder.url)
    for number in acknowledged { try Self.check(number, in: after) }
    let all = after.listNow(limit: .max)
    #expect(all.count >= acknowledged.count)
    for response in all {
      let number = try #require(Int(response.url.split(separator: "/").last ?? ""))
      #expect(after.bodyNow(response) == Self.body(number), "\(response.url) isn't whole")
    }
    try Self.checkUsage(folder.url)
  }

  private static func check(_ number: Int, in cache: ResponseCache) throws {
    let found = try #require(cache.candidatesNow(for: page(number)).first, "\(number) was acknowledged and is lost")
    #expect(cache.bodyNow(found) == body(number))
  }

  private static func body(_ number: Int) -> Data { CacheSamples.body(number, count: sizes[number % sizes.count]) }

  /// The number of bytes kept by triggers is that of the rows.
  private static func checkUsage(_ folder: URL) throws {
    let database = try StoreDatabase(url: folder.appending(path: "cache/\(DiskCache.fileName)"), migrations: CacheTables.register)
    let (sum, usage) = try database.read {
      (try Int64.fetchOne($0, sql: "SELECT sum(size) FROM responses"), try Int64.fetchOne($0, sql: "SELECT bytes FROM usage"))
    }
    #expect(sum == usage)
    #expect(try database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
  }

  private static func child(_ folder: URL, seed: Int) throws -> ChildProcess {
    try ChildProcess(
      ofThisProgram: "childStoresUntilItIsKilled", in: folder,
      environment: [folderVariable: folder.path(percentEncoded: false), seedVariable: String(seed)])
  }

  @Test(.enabled(if: childFolder != nil, "only in a child process"))
  func childStoresUntilItIsKilled() async throws {
    let folder = try #require(Self.childFolder)
    let seed = try #require(ProcessInfo.processInfo.environment[Self.seedVariable].flatMap { Int($0) })
    let channel = try ReportPipe.handle(in: folder)
    let cache = Self.cache(folder)
    // Few enough for the cache to hold those of all children, however late it is killed.
    for number in seed..<(seed + 300) {
      let body = Self.body(number)
      let half = body.count / 2
      let response = CacheSamples.response(Self.page(number))
      guard await cache.receive(response, [body.prefix(half), body.dropFirst(half)]) else { continue }
      // Beside it, one that both children replace and remove all the time.
      cache.store(CacheSamples.response(Self.page(number % 3)), body: Self.body(number % 3))
      if number % 7 == 0 { cache.removeAll(url: Self.page(number % 3)) }
      guard number % 2 == 1 else { continue }
      await cache.flush()
      try channel.write(contentsOf: Data("\(number - 1)\n\(number)\n".utf8))
    }
    ReportPipe.waitForKill(channel)
  }
}
