import Foundation
import LoadingModel
import Stores
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A disk that doesn't answer keeps no load from ending.
@Suite(.timeLimit(.minutes(1))) struct HangingDiskTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  private func bodies(_ folder: URL) -> [String] {
    let root = folder.appending(path: "bodies").path(percentEncoded: false)
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
    return names.map { "\(root)/\($0)" }.filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }
  }

  /// Opening a named pipe for reading takes until somebody opens it for writing: so does a stored body here.
  @Test func cancelledLoadDoesNotWaitForTheCachesDisk() async throws {
    try await withFolder { folder async throws in
      try await TestServer.with { server async throws in
        let body = String(repeating: "x", count: 500_000)
        server.route("/a") { _ in .fields(body, ["Cache-Control": "max-age=60"]) }
        let scene = CacheScene(server, cache: URLCache(memoryCapacity: 0, diskCapacity: 100_000_000, directory: folder))
        #expect(try await scene.load(server.url("/a")).text == body)
        await scene.cache.flush()
        let path = try #require(bodies(folder).first)
        #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        var hung = false
        // A load may be cancelled before it has come as far as the disk.
        for _ in 0..<1000 where !hung {
          let log = CompletionLog()
          let task = scene.session.dataTask(with: server.url("/a"), completionHandler: log.handler)
          task.resume()
          await scene.session.barrier()
          task.cancel()
          #expect(await log.call().code == -999)
          // Succeeds only while somebody waits to read, and lets them go on.
          let writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
          hung = writer >= 0
          if hung { close(writer) }
        }
        #expect(hung, "the load ended while its disk was waited for")
        #expect(server.requestCount == 1)
        scene.session.invalidateAndCancel()
      }
    }
  }

  /// Whoever opens the table of HSTS hosts waits for the lock beside it.
  @Test func cancelledLoadDoesNotWaitForTheDiskOfHSTSHosts() async throws {
    try await withFolder { folder async throws in
      try await TestServer.with { server async throws in
        let file = folder.appending(path: "hsts.sqlite", directoryHint: .notDirectory)
        let lock = open(file.path(percentEncoded: false) + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        let configuration = URLSessionConfiguration.testing()
        configuration.hstsStore = HSTSStore(file: file)
        let session = URLSession(configuration: configuration)
        let log = CompletionLog()
        let task = session.dataTask(with: server.url("/", host: "localhost"), completionHandler: log.handler)
        let begin = ContinuousClock.now
        task.resume()
        await session.barrier()
        task.cancel()
        #expect(await log.call().code == -999)
        // The store itself waits for its lock twice as long.
        #expect(ContinuousClock.now - begin < .seconds(5))
        #expect(server.requestCount == 0)
        flock(lock, LOCK_UN)
        // With the disk back, so are the loads.
        server.route("/", reply: .text("in"))
        #expect(try await session.text(from: server.url("/", host: "localhost")).0 == "in")
        session.invalidateAndCancel()
      }
    }
  }
}
