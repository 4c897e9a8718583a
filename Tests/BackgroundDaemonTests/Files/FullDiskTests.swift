import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A daemon whose disk is really full (ENOSPC): a child process has a small one for itself.
@Suite(.timeLimit(.minutes(10))) struct FullDiskTests {
  @Test(.enabled(if: SmallDisk.here == nil && SmallDisk.isPermitted, "processes may not mount a disk of their own here"))
  func aFullDiskEndsTheTransferThatNeedsItAndNoOther() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "full-\(UInt32.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let child = try SmallDisk.child(
      running: "FullDiskTests/childFillsTheDaemonsDisk", on: folder, size: 8 << 20,
      environment: ["TMPDIR": folder.path(percentEncoded: false), "URL_LOADING_SYSTEM_HOME": "/nonexistent"])
    #expect(await child.end() == .exit(0))
  }

  @Test(.enabled(if: SmallDisk.here != nil, "only in a child process")) func childFillsTheDaemonsDisk() async throws {
    let ground = try DaemonGround()
    try #require(try ground.folder.path.hasPrefix(#require(SmallDisk.here).folder.path))
    let gate = Gate()
    try await TestServer.with { server in
      server.route("/large", reply: Reply(body: .pattern(count: 40 << 20)))
      server.route("/small", reply: Reply(body: .pattern(count: 1000)))
      server.route("/slow", reply: Reply(body: .pattern(count: 1000), faults: [.delayBeforeHeaders(gate)]))
      try await ground.serving { _ in
        let app = try await ground.app("one")
        let other = try await ground.app("other")
        other.begin(.download(1, server.url("/slow")))
        try await gate.reached()
        app.begin(.download(1, server.url("/large")))
        let error = try #require(try await app.event().outcome.error)
        // NSURLErrorCannotWriteToFile
        #expect(error.domain == "NSURLErrorDomain" && error.code == -3003, "\(error)")
        gate.open()
        #expect(try await other.event().outcome.error == nil)
        app.begin(.download(2, server.url("/small")))
        #expect(try await app.event(of: 2).outcome.error == nil)
      }
    }
  }
}
