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

  /// Sends 1 MiB, all of which the system's buffer takes, to a server that reads a 16th of it after each `step`. The request timeout is ten seconds
  /// of virtual time.
  private func uploadInSteps(
    _ body: (_ step: Gate, _ session: URLSession, _ log: CompletionLog, _ clock: ManualClock) async throws -> Void
  ) async throws {
    let step = Gate()
    let part = 65_536
    var options = TestServer.Options.http
    options.receiveBufferSize = part
    let reads = (0..<16).flatMap { _ in [RawStep.wait(step), .read(count: part)] }
    options.behaviour = .raw([.readRequestHead] + reads + [.send("HTTP/1.1 204 No Content\r\n\r\n")])
    try await TestServer.with(options) { server async throws in
      let clock = ManualClock()
      let configuration = URLSessionConfiguration.testing()
      configuration.use(clock)
      configuration.timeoutIntervalForRequest = 10
      let session = URLSession(configuration: configuration)
      let log = CompletionLog()
      let task = session.dataTask(
        with: URLRequest("PUT", server.url(), body: Data(count: 16 * part)), completionHandler: log.handler)
      task.resume()
      try await step.reached()
      await session.barrier()
      try await body(step, session, log, clock)
      session.invalidateAndCancel()
    }
  }

  @Test func bytesThatLeaveTheSystemsBufferRestartTheTimeout() async throws {
    try await uploadInSteps { step, session, log, clock async throws in
      for number in 2...16 {
        step.release()
        try await step.reached(number)
        clock.advance(by: 2.5)
        await session.barrier()
      }
      step.release()
      #expect(await log.call().error == nil)
    }
  }

  @Test func uploadToAServerThatReadsNothingTimesOut() async throws {
    try await uploadInSteps { _, session, log, clock async throws in
      // Bytes that leave the system's buffer late restart the timeout once more.
      for _ in 0..<200 where log.count == 0 {
        clock.advance(by: 2.5)
        await session.barrier()
      }
      #expect(await log.call().code == URLError.Code.timedOut.rawValue)
    }
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
