import Dispatch
import Foundation
import LoadingModel
import Stores
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A disk that doesn't answer keeps no load from ending.
@Suite(.timeLimit(.minutes(10))) struct HangingDiskTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  /// The disk is the queue on which the table of HSTS hosts is read: suspended, it doesn't answer.
  @Test func cancelledLoadDoesNotWaitForTheDiskOfHSTSHosts() async throws {
    try await withFolder { folder async throws in
      try await TestServer.with { server async throws in
        let file = folder.appending(path: "hsts.sqlite", directoryHint: .notDirectory)
        let disk = DispatchQueue(label: "hanging disk")
        disk.suspend()
        let configuration = URLSessionConfiguration.testing()
        configuration.hstsStore = HSTSStore(file: file, queue: disk)
        let session = URLSession(configuration: configuration)
        let log = CompletionLog()
        let task = session.dataTask(with: server.url("/", host: "localhost"), completionHandler: log.handler)
        task.resume()
        await session.barrier()
        task.cancel()
        #expect(await log.call().code == -999)
        #expect(server.requestCount == 0)
        // With the disk back, so are the loads.
        disk.resume()
        server.route("/", reply: .text("in"))
        #expect(try await session.text(from: server.url("/", host: "localhost")).0 == "in")
        session.invalidateAndCancel()
      }
    }
  }

  /// A cache in `folder` that has the response of "/" in a file.
  private func cache(_ server: TestServer, _ folder: URL) async throws -> URLCache {
    func open() -> URLCache { URLCache(memoryCapacity: 0, diskCapacity: 10_000_000, directory: folder) }
    let scene = CacheScene(server, cache: open())
    _ = try await scene.load(server.url("/"))
    await scene.cache.flush()
    scene.session.invalidateAndCancel()
    return open()
  }

  /// An opener of the cache in `folder` waits until the lock that is returned is released.
  private func hang(_ folder: URL) throws -> Int32 {
    let lock = open(folder.path(percentEncoded: false) + "/Cache.db.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
    return lock
  }

  @Test func hangingCacheHoldsUpNeitherOtherCachesNorCancellation() async throws {
    // A cache waits 10 seconds for the lock of its file: where the machine is so busy that the loads take longer, there is nothing to see.
    for _ in 0..<5 { if try await hangingCacheIsSeen() { return } }
  }

  /// - Returns: Whether the cache waited for its disk meanwhile.
  private func hangingCacheIsSeen() async throws -> Bool {
    var isSeen = false
    try await withFolder { folder async throws in
      try await TestServer.with { server async throws in
        let text = String(repeating: "in", count: 40_000)
        server.route("/", reply: .fields(text, ["Cache-Control": "max-age=60"]))
        let folders = ["hanging", "sound"].map { folder.appending(path: $0, directoryHint: .isDirectory) }
        let hanging = CacheScene(server, cache: try await cache(server, folders[0]))
        let sound = CacheScene(server, cache: try await cache(server, folders[1]))
        #expect(server.requestCount == 2)
        let lock = try hang(folders[0])
        defer { close(lock) }
        let logs = (0..<8).map { _ in CompletionLog() }
        let tasks = logs.map { hanging.session.dataTask(with: server.url("/"), completionHandler: $0.handler) }
        let begun = ContinuousClock.now
        for task in tasks { task.resume() }
        await hanging.session.barrier()
        for _ in 0..<3 { #expect(try await sound.load(server.url("/")).text == text) }
        let requests = server.requestCount
        var codes: [Int?] = []
        for (task, log) in zip(tasks, logs) {
          task.cancel()
          codes.append(await log.call().code)
        }
        isSeen = begun.duration(to: .now) < .seconds(9)
        if isSeen {
          #expect(requests == 2)
          #expect(codes == Array(repeating: -999, count: 8))
        }
        // No thread waits any more.
        flock(lock, LOCK_UN)
        #expect(try await hanging.load(server.url("/")).text == text)
        for scene in [hanging, sound] { scene.session.invalidateAndCancel() }
      }
    }
    return isSeen
  }
}
