import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Bodies on disk that something has changed.
@Suite(.timeLimit(.minutes(10))) struct CacheDamageTests {
  /// Stores a body of `size` bytes, turns over one bit of it on disk, and runs `body` with a session that knows only the disk.
  private func withDamaged(
    _ size: Int, at offset: Int, _ body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "damage-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: Reply(200, headers: ["Cache-Control": "max-age=600"], body: .pattern(count: size)))
      func session() -> (URLSession, URLCache) {
        let cache = URLCache(memoryCapacity: 0, diskCapacity: 1 << 28, directory: folder)
        configuration.urlCache = cache
        return (URLSession(configuration: configuration), cache)
      }
      let (first, cache) = session()
      let (data, _) = try await first.data(from: server.url())
      #expect(data.count == size)
      await cache.flush()
      first.invalidateAndCancel()
      let all = FileManager.default.enumerator(at: folder.appending(path: "bodies"), includingPropertiesForKeys: nil)
      let file = try #require((all?.allObjects as? [URL] ?? []).first { $0.lastPathComponent.count == 16 })
      var bytes = try Data(contentsOf: file)
      bytes[offset] ^= 1
      try bytes.write(to: file)
      let (second, _) = session()
      try await body(server, second)
      second.invalidateAndCancel()
    }
  }

  private static func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }) }

  @Test(arguments: [0, 70_000, 199_999]) func damagedBodyIsFetchedAgain(_ offset: Int) async throws {
    try await withDamaged(200_000, at: offset) { server, session async throws in
      #expect(server.requestCount == 1)
      let expected = CacheDamageTests.pattern(200_000)
      for _ in 0..<2 { #expect(try await session.data(from: server.url()).0 == expected) }
      #expect(server.requestCount == 2)
    }
  }

  @Test func damageFarIntoALargeBodyFailsTheLoadAndTheNextOneFetchesIt() async throws {
    let size = 6 << 20
    try await withDamaged(size, at: 5 << 20) { server, session async throws in
      let expected = CacheDamageTests.pattern(size)
      let recorder = DelegateRecorder()
      let task = session.dataTask(with: server.url())
      task.delegate = recorder
      task.resume()
      #expect((await recorder.completion(of: task) as? URLError)?.code == .resourceUnavailable)
      let received = recorder.body
      // What came before the damage is right, and nothing behind it came.
      #expect(received.count <= 5 << 20 && received == expected.prefix(received.count))
      #expect(try await session.data(from: server.url()).0 == expected)
      #expect(server.requestCount == 2)
    }
  }
}
