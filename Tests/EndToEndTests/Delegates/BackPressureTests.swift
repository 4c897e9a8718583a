import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Returns when nothing moves any more between `server` and its clients: a hundred requests of another session, one after the other, have
/// gone to the server and back meanwhile. Ends early if the server runs on and on.
///
/// - Parameter sentBytes: What moves; nil for what the server sends.
func settle(_ server: TestServer, watching sentBytes: (() -> Int)? = nil) async throws {
  let sentBytes = sentBytes ?? { server.sentBytes }
  server.route("/settle", reply: Reply(204))
  let session = URLSession(configuration: try (server.options.isSecure ? Wire.tls : .plain).configuration())
  _ = try await session.data(from: server.url("/settle"))
  var quiet = 0
  var rounds = 0
  while quiet < 100, rounds < 5000 {
    let before = sentBytes()
    _ = try await session.data(from: server.url("/settle"))
    // The reply itself is less than that.
    quiet = sentBytes() - before < 1000 ? quiet + 1 : 0
    rounds += 1
  }
  session.invalidateAndCancel()
}

@Suite(.timeLimit(.minutes(10))) struct BackPressureTests {
  private static let huge = 1 << 30
  private static let medium = bound + (32 << 20)
  /// What sockets, TLS and the session's own windows may hold together: the kernel lets the window of a socket grow to what it is told, 6 to
  /// 32 MiB by its version.
  private static let bound = largestWindow + (10 << 20)

  private static let largestWindow: Int = {
    let words = try? String(contentsOfFile: "/proc/sys/net/ipv4/tcp_rmem", encoding: .utf8).split { $0.isWhitespace }
    return words?.last.flatMap { Int($0) } ?? (6 << 20)
  }()

  private func serve(
    _ wire: Wire, _ size: Int, delegate: (any URLSessionDelegate)? = nil, _ body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    try await wire.serve({ $0.sendBufferSize = 65_536 }) { server, configuration async throws in
      server.route("/body", reply: Reply(body: .repeating(7, count: size)))
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  /// Runs `body` with a task of `size` bytes whose delegate has been blocking behind the gate until nothing moved any more.
  private func serveBlocked(
    _ wire: Wire, _ size: Int, _ body: (TestServer, URLSessionTask, DelegateRecorder, Gate) async throws -> Void
  ) async throws {
    let gate = Gate()
    let recorder = DelegateRecorder(dataGate: gate)
    try await serve(wire, size, delegate: recorder) { server, session async throws in
      let task = session.dataTask(with: server.url("/body"))
      task.resume()
      try await gate.reached()
      try await settle(server)
      #expect(server.sentBytes < BackPressureTests.bound)
      try await body(server, task, recorder, gate)
    }
  }

  @Test(arguments: Wire.allCases) func blockedDelegateHoldsTheServerBack(_ wire: Wire) async throws {
    try await serveBlocked(wire, BackPressureTests.medium) { _, task, recorder, gate async throws in
      gate.open()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.body.count == BackPressureTests.medium)
    }
  }

  @Test(arguments: Wire.allCases) func blockedDelegateCanCancel(_ wire: Wire) async throws {
    try await serveBlocked(wire, BackPressureTests.huge) { server, task, recorder, gate async throws in
      task.cancel()
      try await server.waitUntilGivenUp(over: wire)
      gate.open()
      #expect((await recorder.completion(of: task) as? URLError)?.code == .cancelled)
    }
  }

  @Test(arguments: Wire.allCases) func readerThatStopsHoldsTheServerBack(_ wire: Wire) async throws {
    try await serve(wire, BackPressureTests.huge) { server, session async throws in
      let (bytes, response) = try await session.bytes(from: server.url("/body"))
      #expect(response.expectedContentLength == Int64(BackPressureTests.huge))
      var iterator = bytes.makeAsyncIterator()
      #expect(try await iterator.next() == 7)
      try await settle(server)
      #expect(server.sentBytes < BackPressureTests.bound)
      let before = server.sentBytes
      var isWhole = true
      for _ in 0..<1 << 20 where try await iterator.next() != 7 { isWhole = false }
      #expect(isWhole)
      try await settle(server)
      // The kernel lets the windows of a connection that is read grow to tens of megabytes.
      #expect(server.sentBytes < before + 6 * BackPressureTests.bound)
      bytes.task.cancel()
      try await server.waitUntilGivenUp(over: wire)
      await #expect(throws: URLError.self) { while try await iterator.next() != nil {} }
    }
  }

  @Test(arguments: Wire.allCases) func sequenceThatIsLetGoEndsTheLoad(_ wire: Wire) async throws {
    try await serve(wire, BackPressureTests.huge) { server, session async throws in
      let first = try await session.bytes(from: server.url("/body")).0.first { _ in true }
      #expect(first == 7)
      try await server.waitUntilGivenUp(over: wire)
    }
  }

  @Test(arguments: Wire.allCases) func suspendedTaskHoldsTheServerBack(_ wire: Wire) async throws {
    let recorder = DelegateRecorder()
    try await serve(wire, BackPressureTests.medium, delegate: recorder) { server, session async throws in
      let gate = Gate()
      server.route("/held", reply: Reply(body: .repeating(7, count: BackPressureTests.medium), faults: [.delayBeforeBody(gate)]))
      let task = session.dataTask(with: server.url("/held"))
      task.resume()
      try await gate.reached()
      task.suspend()
      await session.barrier()
      gate.open()
      try await settle(server)
      #expect(server.sentBytes < BackPressureTests.bound)
      #expect(task.countOfBytesReceived < BackPressureTests.bound)
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.body.count == BackPressureTests.medium)
    }
  }

  @Test(arguments: Wire.allCases) func collectedBodyIsReadAtFullSpeedUntilSuspended(_ wire: Wire) async throws {
    try await serve(wire, BackPressureTests.medium) { server, session async throws in
      let count = await withCheckedContinuation { continuation in
        session.dataTask(with: server.url("/body")) { data, _, _ in continuation.resume(returning: data?.count) }.resume()
      }
      #expect(count == BackPressureTests.medium)
    }
  }
}
