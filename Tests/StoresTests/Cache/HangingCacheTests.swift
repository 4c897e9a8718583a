import Dispatch
import Foundation
import Testing

@testable import Stores

/// A disk that doesn't answer: the threads that read from it wait for the test.
@Suite(.timeLimit(.minutes(10))) struct HangingCacheTests {
  private let page = "http://example.test/page"
  private let body = CacheSamples.body(1, count: 50_000)

  /// A cache that holds `page` in a file, and nothing in memory.
  private func filled(_ folder: TemporaryFolder) -> ResponseCache {
    let writer = CacheSamples.cache(folder, memory: 0)
    writer.store(CacheSamples.response(page), body: body)
    writer.flushNow()
    return CacheSamples.cache(folder, memory: 0)
  }

  @Test func hangingDiskTakesNoOtherCachesReadsWithIt() async throws {
    let folders = (TemporaryFolder(), TemporaryFolder())
    let (hanging, sound) = (filled(folders.0), filled(folders.1))
    let found = try #require(hanging.candidatesNow(for: page).first)
    let threads = try #require(hanging.disk?.threads)
    let gate = DispatchSemaphore(value: 0)
    let length = Int64(body.count)
    await withTaskGroup(of: Int64?.self) { group in
      for _ in 0..<CacheThreads.readerCount {
        group.addTask {
          await threads.reading {
            gate.wait()
            return length
          }
        }
      }
      while threads.busyReaders < CacheThreads.readerCount { await Task.yield() }
      for _ in 0..<20 { group.addTask { await hanging.openBody(found)?.length } }
      let other = await sound.loadCandidates(for: page).first
      #expect(other != nil)
      if let other { #expect((try? await sound.wholeBody(other)) == body) }
      for _ in 0..<CacheThreads.readerCount { gate.signal() }
      for await read in group { #expect(read == length) }
    }
  }

  @Test func fileThatHangsTakesOneThread() async throws {
    let threads = CacheThreads()
    let gate = DispatchSemaphore(value: 0)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await threads.reading { gate.wait() } }
      while threads.busyReaders < 1 { await Task.yield() }
      for number in 0..<50 { #expect(await threads.reading { number } == number) }
      gate.signal()
    }
    #expect(await threads.reading { 1 } == 1)
  }

  @Test func readsThatWaitAreBounded() async throws {
    let threads = CacheThreads()
    let gate = DispatchSemaphore(value: 0)
    let answered = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<2000 { group.addTask { await threads.reading { gate.wait() } != nil } }
      var refused = 0
      // Those beyond the limit are told at once.
      while refused < 2000 - 1024 - CacheThreads.readerCount, await group.next() == false { refused += 1 }
      for _ in 0..<2000 { gate.signal() }
      var answered = 0
      for await isAnswered in group where isAnswered { answered += 1 }
      return answered
    }
    #expect(answered == 1024 + CacheThreads.readerCount)
  }
}
