import Foundation
import LoadingModel
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct CacheCapacityTests {
  private func page(_ number: Int) -> String { "http://example.test/\(number)" }

  /// Bytes of the files, as the disk has them.
  private func bytesInFiles(_ folder: TemporaryFolder) -> Int {
    folder.bodyFiles.reduce(0) { $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0) }
  }

  @Test(arguments: [1000, 20_000])
  func theDiskNeverHoldsMoreThanItsCapacity(size: Int) async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder, memory: 0, disk: 400_000)
    for number in 0..<100 {
      cache.store(CacheSamples.response(page(number)), body: Data(count: size))
      if number % 10 == 0 { #expect(cache.diskUsageNow() <= 400_000) }
    }
    #expect(cache.diskUsageNow() <= 400_000)
    #expect(bytesInFiles(folder) <= 400_000)
    let kept = (0..<100).filter { !cache.candidatesNow(for: page($0)).isEmpty }
    #expect(kept.contains(99))
    #expect(kept.count < 100 || size == 1000)
    #expect(kept.allSatisfy { cache.candidatesNow(for: page($0)).first.flatMap { cache.bodyNow($0) }?.count == size })
  }

  @Test func whatWasUnusedLongestIsEvictedFirst() async throws {
    let folder = TemporaryFolder()
    let seconds = Mutex(0.0)
    let cache = CacheSamples.cache(folder, memory: 0, disk: 100_000) {
      CacheSamples.noon + seconds.withLock { $0 }
    }
    for number in 0..<9 {
      cache.store(CacheSamples.response(page(number), at: CacheSamples.noon + Double(number)), body: Data(count: 10_000))
    }
    seconds.withLock { $0 = 100 }
    for number in [0, 3] {
      let found = try #require(await cache.loadCandidates(for: page(number)).first)
      #expect(await cache.openBody(found) != nil)
    }
    for number in 9..<13 { cache.store(CacheSamples.response(page(number), at: CacheSamples.noon + 200), body: Data(count: 10_000)) }
    cache.flushNow()
    let kept = (0..<13).filter { !cache.candidatesNow(for: page($0)).isEmpty }
    #expect(kept.starts(with: [0, 3]))
    #expect(kept.suffix(4) == [9, 10, 11, 12])
    #expect(kept.count < 10)
  }

  /// Variants of one URL, a body of 30,000 bytes each, of which three fit into memory.
  private func storeVariants(_ numbers: Range<Int>, in cache: ResponseCache) {
    for number in numbers {
      let sent = HeaderFields([("Accept-Language", "\(number)")])
      cache.store(CacheSamples.response(page(0), sent: sent, at: CacheSamples.noon + Double(number)), body: Data(count: 30_000))
    }
  }

  private func variants(in cache: ResponseCache) -> [String?] {
    cache.candidatesNow(for: page(0)).map { $0.requestFields.first("Accept-Language") }
  }

  @Test func theOldestVariantsMakeRoomInMemoryForNewerOnes() {
    let cache = ResponseCache(memoryCapacity: 100_000, diskCapacity: 0, directory: nil) { CacheSamples.noon }
    storeVariants(0..<5, in: cache)
    #expect(variants(in: cache) == ["4", "3", "2"])
    #expect(cache.memoryUsage <= 100_000)
    // One that is larger than all of the memory takes no other's place.
    cache.store(CacheSamples.response(page(0), sent: HeaderFields([("Accept-Language", "9")])), body: Data(count: 100_001))
    #expect(variants(in: cache) == ["4", "3", "2"])
  }

  @Test func variantsThatMemoryHasNoRoomForAreReadFromDisk() {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder, memory: 100_000)
    storeVariants(0..<5, in: cache)
    #expect(variants(in: cache) == ["4", "3", "2", "1", "0"])
    #expect(cache.candidatesNow(for: page(0)).allSatisfy { cache.bodyNow($0)?.count == 30_000 })
  }

  @Test func aSmallerCapacityEvictsAtOnce() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder, disk: 1_000_000)
    for number in 0..<20 { cache.store(CacheSamples.response(page(number)), body: Data(count: 20_000)) }
    #expect(cache.diskUsageNow() > 400_000)
    cache.diskCapacity = 100_000
    #expect(cache.diskUsageNow() <= 100_000)
    #expect(bytesInFiles(folder) <= 100_000)
    #expect(cache.memoryUsage > 400_000)
    cache.memoryCapacity = 50_000
    #expect(cache.memoryUsage <= 50_000)
    cache.diskCapacity = 0
    #expect(cache.diskUsageNow() == 0)
    #expect(bytesInFiles(folder) == 0)
  }

  @Test func nothingOfWhatWasRemovedStaysOnDisk() async throws {
    let folder = TemporaryFolder()
    let cache = CacheSamples.cache(folder)
    // Another process, which has the files open.
    let other = CacheSamples.cache(folder)
    for number in 0..<100 {
      let body = Data(String(repeating: "secret ", count: number % 10 == 0 ? 5000 : 500).utf8)
      cache.store(CacheSamples.response("http://example.test/secret/\(number)"), body: body)
      guard number == 50 else { continue }
      cache.flushNow()
      #expect(other.candidatesNow(for: "http://example.test/secret/1").count == 1)
    }
    cache.flushNow()
    #expect(try bytesOnDisk(folder) { $0.range(of: Data("secret".utf8)) != nil } > 300_000)
    cache.removeAll()
    cache.flushNow()
    #expect(try bytesOnDisk(folder) { $0.range(of: Data("secret".utf8)) != nil } == 0)
    #expect(try bytesOnDisk(folder) { _ in true } < 150_000)
    #expect(other.candidatesNow(for: "http://example.test/secret/1").isEmpty)
    other.storeAndFlush(CacheSamples.response(page(1)), Data("x".utf8))
    #expect(cache.candidatesNow(for: page(1)).count == 1)
  }

  /// Bytes in the files whose contents `isCounted` says yes to.
  private func bytesOnDisk(_ folder: TemporaryFolder, where isCounted: (Data) -> Bool) throws -> Int {
    let path = folder.url.path(percentEncoded: false)
    return try FileManager.default.subpathsOfDirectory(atPath: path).reduce(0) { sum, name in
      guard let data = try? Data(contentsOf: URL(filePath: path + "/" + name)), isCounted(data) else { return sum }
      return sum + data.count
    }
  }

  @Test func aDiskMayComeIntoUseLater() async throws {
    let folder = TemporaryFolder()
    CacheSamples.cache(folder).storeAndFlush(CacheSamples.response(page(1)), Data("old".utf8))
    let cache = CacheSamples.cache(folder, disk: 0)
    cache.store(CacheSamples.response(page(2)), body: Data("new".utf8))
    #expect(cache.candidates(for: page(1))?.isEmpty == true)
    cache.diskCapacity = 1_000_000
    #expect(cache.candidatesNow(for: page(1)).count == 1)
    #expect(cache.candidatesNow(for: page(2)).count == 1)
  }

  @Test func memoryKeepsWhatIsUsed() async throws {
    let cache = ResponseCache(memoryCapacity: 40_000, diskCapacity: 0, directory: nil)
    for number in 0..<20 {
      cache.store(CacheSamples.response(page(number)), body: Data(count: 4000))
      #expect(cache.candidates(for: page(0))?.count == 1)
    }
    #expect(cache.memoryUsage <= 40_000)
    #expect(cache.candidates(for: page(1))?.isEmpty == true)
  }

  @Test func orphansOfKilledProcessesAreSweptAfterAWhile() async throws {
    let folder = TemporaryFolder()
    CacheSamples.cache(folder).storeAndFlush(CacheSamples.response(page(1)), Data(count: 30_000))
    let named = try #require(folder.bodyFiles.first)
    let bodies = folder.url.appending(path: "bodies")
    let orphan = named.deletingLastPathComponent().appending(path: "0123456789abcdef")
    let unfinished = bodies.appending(path: "incoming/00000000000000aa")
    for url in [orphan, unfinished] { try Data("x".utf8).write(to: url) }
    let disk = try DiskCache(directory: folder.url)
    for turn in 0..<16 { disk.sweep(turn: turn, now: Date() + BodyFolder.orphanAge - 60) }
    #expect(folder.bodyFiles.count == 3)
    for turn in 0..<16 { disk.sweep(turn: turn, now: Date() + BodyFolder.orphanAge + 60) }
    #expect(folder.bodyFiles.map(\.lastPathComponent) == [named.lastPathComponent])
  }
}
