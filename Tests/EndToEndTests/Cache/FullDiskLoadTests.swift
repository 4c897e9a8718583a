import ChildProcesses
import Foundation
import Stores
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Loads continue when the disk of all stores is full (ENOSPC), and the stores when there is room again. A child process has the small
/// disk.
@Suite(.timeLimit(.minutes(10))) struct FullDiskLoadTests {
  @Test(.enabled(if: SmallDisk.isPermitted && SmallDisk.here == nil, "processes may not mount a disk of their own here"))
  func loadsGoOnWithAFullDisk() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "full-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let child = try SmallDisk.child(
      running: "FullDiskLoadTests/childLoadsOnAFullDisk", on: folder, size: 4 << 20,
      environment: ["URL_LOADING_SYSTEM_HOME": folder.path(percentEncoded: false)])
    #expect(await child.end() == .exit(0))
  }

  private static func page(_ request: RecordedRequest) -> Reply {
    let size = request.path.hasPrefix("/large") ? 100_000 : 1000
    return .fields(
      String(repeating: "x", count: size), ["Cache-Control": "max-age=60", "Set-Cookie": "last=\(request.path); Path=/; Max-Age=600"])
  }

  @Test(.enabled(if: SmallDisk.here != nil, "only in a child process"))
  func childLoadsOnAFullDisk() async throws {
    let disk = try #require(SmallDisk.here)
    try await TestServer.with { server async throws in
      server.route("/*", .GET) { Self.page($0) }
      let configuration = URLSessionConfiguration.default
      let directory = disk.folder.appending(path: "caches", directoryHint: .isDirectory)
      let cache = URLCache(memoryCapacity: 0, diskCapacity: 3 << 20, directory: directory)
      configuration.urlCache = cache
      let session = URLSession(configuration: configuration)
      func load(_ path: String) async throws { #expect(try await !session.text(from: server.url(path)).0.isEmpty) }
      try await load("/before")
      await cache.flush()
      try disk.fill()
      // A later write that needs no new room clears what an earlier one has noted.
      var wasFull = false
      for number in 1...30 {
        try await load("/small\(number)")
        try await load("/large\(number)")
        if let failure = cache.diskFailure, "\(failure)".contains("full") { wasFull = true }
        await cache.flush()
        if let failure = cache.diskFailure, "\(failure)".contains("full") { wasFull = true }
      }
      #expect(wasFull)
      let before = server.requestCount
      try await load("/before")
      #expect(server.requestCount == before)
      disk.makeRoom()
      try await load("/after")
      await cache.flush()
      #expect(cache.diskFailure == nil)
      #expect(cache.entries().contains { $0.url == server.url("/after") })
      let file = StoreLocation.standard.data.appending(path: "cookies.sqlite", directoryHint: .notDirectory)
      let others = CookieStore(file: file).read { jar, now in jar.all(now: now).map(\.cookie.value) }
      #expect(others == ["/after"])
      session.invalidateAndCancel()
    }
  }
}
