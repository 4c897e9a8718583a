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
