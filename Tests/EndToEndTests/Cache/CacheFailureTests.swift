import Foundation
import Stores
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A disk that takes nothing costs the cache its entries, and no load its answer.
@Suite(.timeLimit(.minutes(10))) struct CacheFailureTests {
  private func withDisk(_ body: (TestServer, CacheScene, URL) async throws -> Void) async throws {
    for wire in [Wire.plain] + Wire.multiplexed {
      let folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)", directoryHint: .isDirectory)
      defer { try? FileManager.default.removeItem(at: folder) }
      let cache = URLCache(memoryCapacity: 0, diskCapacity: 100_000_000, directory: folder)
      try await CacheScene.with(over: [wire], cache: cache) { server, scene async throws in
        server.route("/*", .GET) { .fields(CacheFailureTests.text($0.path), ["Cache-Control": "max-age=60"]) }
        _ = try await scene.load(server.url("/first"))
        await scene.cache.flush()
        #expect(scene.cache.diskFailure == nil)
        try await body(server, scene, folder)
      }
    }
  }

  /// Of the size that a path asks for.
  private static func text(_ path: String) -> String {
    String(repeating: path, count: path.hasPrefix("/long") ? 40_000 : 10)
  }

  private func loadAll(_ server: TestServer, _ scene: CacheScene) async throws {
    for path in ["/short", "/long", "/short2", "/long2"] {
      #expect(try await scene.load(server.url(path)).text == CacheFailureTests.text(path))
      await scene.cache.flush()
    }
  }

  /// What SQLite says of a full disk, from a trigger.
  @Test func transactionsThatFailFailNoLoad() async throws {
    try await withDisk { server, scene, folder async throws in
      let database = try DatabaseConnections(path: folder.appending(path: "Cache.db").path(percentEncoded: false))
      try database.write {
        try $0.execute(sql: "CREATE TRIGGER full BEFORE INSERT ON responses BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END")
      }
      try await loadAll(server, scene)
      #expect(scene.cache.entries().map(\.url) == [server.url("/first")])
      #expect(try await scene.load(server.url("/first")).text == CacheFailureTests.text("/first"))
      try database.write { try $0.execute(sql: "DROP TRIGGER full") }
      let before = server.requestCount
      try await loadAll(server, scene)
      try await loadAll(server, scene)
      #expect(server.requestCount == before + 4)
    }
  }

  /// No file can be begun there, as on a full disk; what is small is stored in the database.
  @Test func bodiesThatCanNotBeWrittenFailNoLoad() async throws {
    try await withDisk { server, scene, folder async throws in
      let incoming = folder.appending(path: "bodies/incoming")
      try FileManager.default.removeItem(at: incoming)
      try Data().write(to: incoming)
      try await loadAll(server, scene)
      #expect(Set(scene.cache.entries().map(\.url)) == Set(["/first", "/short", "/short2"].map { server.url($0) }))
    }
  }

  @Test func bodiesThatCanNotBePlacedFailNoLoad() async throws {
    try await withDisk { server, scene, folder async throws in
      for number in 0..<256 {
        let name = String(number, radix: 16)
        try? Data().write(to: folder.appending(path: "bodies/" + (name.count == 1 ? "0" + name : name)))
      }
      try await loadAll(server, scene)
      #expect(Set(scene.cache.entries().map(\.url)) == Set(["/first", "/short", "/short2"].map { server.url($0) }))
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "bodies/incoming").path(percentEncoded: false))
      #expect(left.isEmpty)
    }
  }
}
