import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The streams that a stream task gives away.
@Suite(.timeLimit(.minutes(10))) struct StreamCaptureTests {
  private func capture(
    _ steps: [RawStep], _ adjust: (inout TestServer.Options) -> Void = { _ in }, before: (StreamBench) async throws -> Void = { _ in },
    _ body: @escaping @Sendable (StreamRecorder.Streams, TestServer) async throws -> Void
  ) async throws {
    try await StreamBench.with(steps, adjust) { bench async throws in
      bench.task.resume()
      try await before(bench)
      bench.task.captureStreams()
      let streams = try #require(await bench.recorder.captured())
      #expect(streams.input.streamStatus == .notOpen)
      #expect(streams.output.streamStatus == .notOpen)
      await bench.session.barrier()
      #expect(bench.task.state == .completed)
      bench.session.invalidateAndCancel()
      try await body(streams, bench.server)
      // Nothing is said after the streams.
      #expect(bench.recorder.events.last == .becameStreams)
    }
  }

  @Test func theStreamsReadAndWriteAfterTheSessionIsGone() async throws {
    try await capture([.echo]) { streams, server async throws in
      try await onThread {
        streams.input.open()
        streams.output.open()
        #expect(streams.output.hasSpaceAvailable)
        streams.output.writeAll(Data("hello".utf8))
        #expect(streams.input.readAll(5) == Data("hello".utf8))
        streams.output.close()
        #expect(streams.input.readAll(1) == Data())
        #expect(streams.input.streamStatus == .atEnd)
        streams.input.close()
      }
      try await server.waitForConnections(open: 0)
    }
  }

  @Test func whatWasAskedForBeforeComesFirstAndUnreadBytesStay() async throws {
    let log = CallLog()
    try await capture(
      [.read(until: "x"), .send("abcdef"), .close],
      before: { bench async throws in
        bench.task.write(Data("x".utf8), timeout: 0) { _ in log.add("written") }
        bench.task.readData(ofMinLength: 2, maxLength: 2, timeout: 0) { data, _, _ in
          log.add(String(decoding: data ?? Data(), as: UTF8.self))
        }
      }
    ) { streams, _ async throws in
      #expect(log.calls == ["written", "ab"])
      try await onThread {
        streams.input.open()
        #expect(streams.input.readAll(100) == Data("cdef".utf8))
      }
    }
  }

  @Test func theStreamsOfASecuredConnectionAreSecured() async throws {
    let authority = try TestCertificateAuthority()
    let steps: [RawStep] = [.startTLS(try authority.issue()), .echo, .send("bye"), .close]
    try await StreamBench.with(steps, configuration: .testing(trusting: authority)) { bench async throws in
      bench.task.startSecureConnection()
      bench.task.write(Data("first".utf8), timeout: 0) { _ in }
      bench.task.captureStreams()
      bench.task.resume()
      let streams = try #require(await bench.recorder.captured())
      bench.session.invalidateAndCancel()
      try await onThread {
        streams.input.open()
        streams.output.open()
        streams.output.writeAll(Data("second".utf8))
        #expect(streams.input.readAll(11) == Data("firstsecond".utf8))
        streams.output.close()
        #expect(streams.input.readAll(100) == Data("bye".utf8))
      }
      try await bench.server.waitForConnections(open: 0)
    }
  }

  @Test func laterCallsOfTheTaskFail() async throws {
    try await StreamBench.with([.echo]) { bench async throws in
      bench.task.resume()
      bench.task.captureStreams()
      let streams = await bench.recorder.captured()
      #expect(await errorCode { try await bench.task.send("x") } == Int(POSIXErrorCode.ENOTCONN.rawValue))
      _ = streams
    }
  }

  @Test func streamsThatNobodyKeepsCloseTheConnection() async throws {
    try await TestServer.with(.raw([.echo])) { server async throws in
      let session = URLSession(configuration: .testing())
      let task = session.streamTask(withHostName: "127.0.0.1", port: server.port)
      task.resume()
      try await task.send("x")
      #expect(try await task.text() == "x")
      task.captureStreams()
      try await server.waitForConnections(open: 0)
      session.invalidateAndCancel()
    }
  }

  @Test func largeAmountsWaitForEachOther() async throws {
    try await capture(
      [.echo, .close],
      {
        $0.sendBufferSize = 64 * 1024; $0.receiveBufferSize = 64 * 1024
      }
    ) { streams, _ async throws in
      let content = Data((0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      async let writing: Void = onThread {
        streams.output.open()
        streams.output.writeAll(content)
        streams.output.close()
      }
      try await onThread {
        streams.input.open()
        let isSame = streams.input.readAll(content.count + 1) == content
        #expect(isSame)
      }
      try await writing
    }
  }

  @Test func aBrokenConnectionIsAnErrorOfTheStreams() async throws {
    let gate = Gate()
    try await capture([.wait(gate), .reset]) { streams, _ async throws in
      streams.input.open()
      try await gate.reached()
      gate.open()
      try await onThread {
        var byte = UInt8(0)
        #expect(streams.input.read(&byte, maxLength: 1) == -1)
        #expect(streams.input.streamStatus == .error)
        #expect((streams.input.streamError as? URLError)?.code == .networkConnectionLost)
      }
    }
  }

  @Test func aRunLoopTellsTheStreamsDelegate() async throws {
    try await capture([.read(until: "xyz"), .send("ab"), .close]) { streams, _ async throws in
      try await onThread {
        let listener = StreamListener()
        for stream in [streams.input, streams.output] as [Stream] {
          stream.delegate = listener
          stream.schedule(in: .current, forMode: .default)
          stream.open()
        }
        for _ in 0..<3000 where !listener.hasEnded { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        #expect(listener.read == Data("ab".utf8))
        #expect(listener.hasEnded)
        streams.input.close()
        streams.output.close()
      }
    }
  }

  /// The event is on its way when the app, which has read everything, closes the stream.
  @Test func aClosedStreamsDelegateIsToldNothing() async throws {
    try await capture([.send("ab"), .close]) { streams, _ async throws in
      try await onThread {
        let listener = StreamListener()
        streams.input.delegate = listener
        streams.input.schedule(in: .current, forMode: .default)
        streams.input.open()
        #expect(streams.input.readAll(100) == Data("ab".utf8))
        streams.input.close()
        for _ in 0..<10 { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
        #expect(!listener.hasEnded)
      }
    }
  }
}

/// Writes a byte whenever it is told of room, reads when there is something.
private final class StreamListener: NSObject, StreamDelegate {
  var read = Data()
  var hasEnded = false
  private var rest = Array("xyz".utf8)

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    switch (eventCode, aStream) {
    case (.hasSpaceAvailable, let output as OutputStream) where !rest.isEmpty:
      output.writeAll(Data([rest.removeFirst()]))
    case (.hasBytesAvailable, let input as InputStream):
      var buffer = [UInt8](repeating: 0, count: 100)
      let count = input.read(&buffer, maxLength: 100)
      read += buffer.prefix(max(0, count))
    case (.endEncountered, _): hasEnded = true
    default: break
    }
  }
}

extension InputStream {
  /// Up to `count` bytes; fewer only at the end.
  func readAll(_ count: Int) -> Data {
    var all = Data()
    var buffer = [UInt8](repeating: 0, count: 70_000)
    while all.count < count {
      let length = read(&buffer, maxLength: min(buffer.count, count - all.count))
      guard length > 0 else { break }
      all += buffer.prefix(length)
    }
    return all
  }
}

extension OutputStream {
  func writeAll(_ data: Data) {
    var left = data[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes { bytes in
        bytes.bindMemory(to: UInt8.self).baseAddress.map { write($0, maxLength: bytes.count) } ?? -1
      }
      guard count > 0 else { return }
      left = left.dropFirst(count)
    }
  }
}

/// Runs what may block on a thread of its own.
func onThread(_ work: @escaping @Sendable () -> Void) async throws {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      work()
      continuation.resume()
    }
  }
}
