import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A large file is read only as fast as the server takes it: nothing of it piles up in memory.
@Suite(.timeLimit(.minutes(10))) struct UploadBackPressureTests {
  private static let size = 1 << 30
  /// What sockets and the session's own windows may hold together.
  private static let bound: Int64 = 16 << 20

  /// Returns the bytes that `task` has sent when that hasn't changed for a hundred requests to `server`.
  private func sent(_ task: URLSessionTask, settledBy server: TestServer) async throws -> Int64 {
    let session = URLSession(configuration: .testing())
    defer { session.invalidateAndCancel() }
    var (quiet, last) = (0, task.countOfBytesSent)
    for _ in 0..<5000 where quiet < 100 {
      _ = try await session.data(from: server.url("/"))
      let now = task.countOfBytesSent
      quiet = now == last ? quiet + 1 : 0
      last = now
    }
    return last
  }

  /// A channel of NIOSSL is writable while its handshake is still under way: a sender that relies on that buffers the whole file.
  @Test func fileIsNotReadBeforeTheHandshakeIsOverNorFasterThanTheServer() async throws {
    let authority = try TestCertificateAuthority()
    let (handshake, reading) = (Gate(), Gate())
    var options = TestServer.Options.http
    options.receiveBufferSize = 65_536
    options.behaviour = .raw([.wait(handshake), .startTLS(try authority.issue()), .readRequestHead, .wait(reading), .readToEnd])
    try await TestServer.with(options) { server async throws in
      try await TestServer.with { other async throws in
        other.route("/", reply: Reply(204))
        let file = try SourceFile(Data())
        // Without blocks on disk: it reads as zeros.
        let handle = try FileHandle(forWritingTo: file.url)
        try handle.truncate(atOffset: UInt64(Self.size))
        try handle.close()
        let session = URLSession(configuration: .testing(trusting: authority))
        let log = CompletionLog()
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let task = session.uploadTask(with: URLRequest("PUT", url), fromFile: file.url, completionHandler: log.handler)
        task.resume()
        try await handshake.reached()
        #expect(try await sent(task, settledBy: other) == 0)
        handshake.open()
        try await reading.reached()
        try await other.wait { task.countOfBytesSent > 0 }
        let held = try await sent(task, settledBy: other)
        #expect(held < Self.bound)
        // Once the server reads, the file is sent on.
        reading.open()
        try await other.wait { task.countOfBytesSent > held + 4 * Self.bound }
        task.cancel()
        #expect(await log.call().code == URLError.Code.cancelled.rawValue)
        session.invalidateAndCancel()
      }
    }
  }
}
