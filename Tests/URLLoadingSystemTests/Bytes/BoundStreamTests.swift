import Foundation
import LoadingModel
import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct BoundStreamTests {
  private func pair(_ size: Int) throws -> (InputStream, OutputStream) {
    var (input, output): (InputStream?, OutputStream?)
    Stream.getBoundStreams(withBufferSize: size, inputStream: &input, outputStream: &output)
    return (try #require(input), try #require(output))
  }

  /// Runs `body` on a thread of its own, whose run loop has nothing but what `body` puts there.
  private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Result { try body() }) }
    }
    try result.get()
  }

  /// Lets this thread's run loop sleep until it has handled something, again and again until `isDone`.
  private static func runLoop(until isDone: () -> Bool) {
    for _ in 0..<10_000 where !isDone() { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
  }

  // MARK: run loops

  @Test func sleepingRunLoopIsWokenForTheWriter() async throws {
    let (input, output) = try pair(10)
    let (reader, writer) = (Handed(input), Handed(output))
    try await onThread {
      let listener = Listener()
      writer.value.delegate = listener
      writer.value.schedule(in: .current, forMode: .default)
      writer.value.open()
      Self.runLoop { listener.events.contains(.hasSpaceAvailable) }
      #expect(listener.events == [.openCompleted, .hasSpaceAvailable])
      #expect(writer.value.write([UInt8](0..<10), maxLength: 20) == 10)
      #expect(!writer.value.hasSpaceAvailable)
      // While the loop sleeps another thread makes room.
      Thread.detachNewThread {
        reader.value.open()
        var byte = UInt8(0)
        _ = reader.value.read(&byte, maxLength: 1)
      }
      Self.runLoop { listener.events.count == 3 }
      #expect(listener.events == [.openCompleted, .hasSpaceAvailable, .hasSpaceAvailable])
      #expect(listener.areOnOneThread)
    }
  }

  @Test func sleepingRunLoopIsWokenForTheReader() async throws {
    let (input, output) = try pair(3)
    let (reader, writer) = (Handed(input), Handed(output))
    try await onThread {
      let listener = Listener { stream in
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = (stream as? InputStream)?.read(&buffer, maxLength: 100) ?? -1
        return Data(buffer.prefix(max(0, count)))
      }
      reader.value.delegate = listener
      reader.value.schedule(in: .current, forMode: .default)
      reader.value.open()
      Thread.detachNewThread {
        writer.value.open()
        let content = Array("ten bytes.".utf8)
        var sent = 0
        while sent < content.count { sent += max(0, writer.value.write(Array(content[sent...]), maxLength: content.count - sent)) }
        writer.value.close()
      }
      Self.runLoop { listener.events.contains(.endEncountered) }
      #expect(listener.data == Data("ten bytes.".utf8))
      #expect(listener.events.first == .openCompleted && listener.events.last == .endEncountered)
      #expect(listener.events.filter { $0 == .endEncountered }.count == 1)
      #expect(reader.value.streamStatus == .atEnd)
      var byte = UInt8(0)
      // The end has been read, too.
      #expect(!reader.value.hasBytesAvailable)
      #expect(reader.value.read(&byte, maxLength: 1) == 0)
    }
  }

  @Test func streamThatIsTakenOutOfARunLoopIsSilent() async throws {
    let (input, output) = try pair(10)
    let writer = Handed(output)
    defer { withExtendedLifetime(input) {} }
    try await onThread {
      let listener = Listener()
      writer.value.delegate = listener
      writer.value.schedule(in: .current, forMode: .default)
      writer.value.open()
      writer.value.remove(from: .current, forMode: .default)
      _ = RunLoop.current.run(mode: .default, before: Date())
      #expect(listener.events.isEmpty)
      writer.value.schedule(in: .current, forMode: .default)
      Self.runLoop { !listener.events.isEmpty }
      #expect(listener.events == [.openCompleted, .hasSpaceAvailable])
    }
  }

  // MARK: the other end

  @Test func closingTheReadingEndTellsTheWriter() async throws {
    let (input, output) = try pair(4)
    let queue = DispatchQueue(label: "writer")
    let listener = Listener()
    output.delegate = listener
    CFWriteStreamSetDispatchQueue(output as CFWriteStream, queue)
    #expect(CFWriteStreamCopyDispatchQueue(output) === queue)
    output.open()
    input.open()
    await listener.next(.hasSpaceAvailable)
    #expect(output.streamError == nil)
    input.close()
    await listener.next(.endEncountered)
    // The reader had enough, which is no error of the writer's until it goes on.
    #expect(output.streamStatus == .atEnd && output.streamError == nil)
    #expect(!listener.events.contains(.errorOccurred))
    #expect(output.write([1], maxLength: 1) == -1)
    #expect(output.streamStatus == .error)
    #expect((output.streamError as? POSIXError)?.code == .EPIPE)
    output.close()
    #expect(output.streamStatus == .closed)
    #expect((output.streamError as? POSIXError)?.code == .EPIPE)
  }

  @Test func writerThatWaitsForRoomIsLetGoWhenTheReaderCloses() async throws {
    let (input, output) = try pair(4)
    let (reader, writer) = (Handed(input), Handed(output))
    output.open()
    input.open()
    #expect(output.write([1, 2, 3, 4], maxLength: 4) == 4)
    Thread.detachNewThread { reader.value.close() }
    try await onThread {
      #expect(writer.value.write([5], maxLength: 1) == -1)
      #expect((writer.value.streamError as? POSIXError)?.code == .EPIPE)
    }
  }

  @Test func readerThatIsGoneBreaksThePipeOfAWriterThatOpensLater() throws {
    let output: OutputStream
    do { output = try pair(4).1 }
    output.open()
    #expect(output.streamStatus == .atEnd && output.streamError == nil)
    #expect(output.write([1], maxLength: 1) == -1)
    #expect((output.streamError as? POSIXError)?.code == .EPIPE)
  }

  @Test func readerThatWaitsForBytesReadsTheEnd() async throws {
    let (input, output) = try pair(4)
    let queue = DispatchQueue(label: "reader")
    let ends = AsyncStream<Int>.makeStream()
    let listener = Listener { stream in
      var byte = UInt8(0)
      ends.continuation.yield((stream as? InputStream)?.read(&byte, maxLength: 1) ?? -1)
      return Data()
    }
    input.delegate = listener
    CFReadStreamSetDispatchQueue(input as CFReadStream, queue)
    input.open()
    output.open()
    output.close()
    // Told by the event of bytes alone, it looks, and finds the end.
    #expect(await ends.stream.first { _ in true } == 0)
    await listener.next(.endEncountered)
    input.close()
  }

  /// Small reads from a large buffer, which is filled again meanwhile.
  @Test func bytesKeepTheirOrder() throws {
    let size = 1 << 20
    let (input, output) = try pair(size)
    input.open()
    output.open()
    let sent = (0..<2 * size + 12_345).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var (read, written) = ([UInt8](), 0)
    var piece = [UInt8](repeating: 0, count: 5)
    while read.count < sent.count {
      if written < sent.count, output.hasSpaceAvailable {
        written += try sent[written...].withUnsafeBufferPointer { output.write(try #require($0.baseAddress), maxLength: $0.count) }
      }
      let count = input.read(&piece, maxLength: piece.count)
      try #require(count > 0)
      read += piece[..<count]
    }
    #expect(read == sent && written == sent.count && !input.hasBytesAvailable)
  }

  @Test func callsOnAStreamThatIsNotOpenSetItsError() throws {
    let (input, output) = try pair(4)
    var byte = UInt8(0)
    #expect(output.write([1], maxLength: 1) == -1 && output.streamError != nil)
    #expect(input.read(&byte, maxLength: 1) == -1 && input.streamError != nil)
    #expect(output.streamStatus == .notOpen && input.streamStatus == .notOpen)
  }

  // MARK: dispatch queues

  @Test func readersDelegateIsCalledOnItsQueue() async throws {
    let (input, output) = try pair(8)
    let queue = DispatchQueue(label: "reader")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let listener = Listener { stream in
      #expect(DispatchQueue.getSpecific(key: key) == true)
      var buffer = [UInt8](repeating: 0, count: 2)
      let count = (stream as? InputStream)?.read(&buffer, maxLength: 2) ?? -1
      return Data(buffer.prefix(max(0, count)))
    }
    input.delegate = listener
    CFReadStreamSetDispatchQueue(input as CFReadStream, queue)
    #expect(CFReadStreamCopyDispatchQueue(input) === queue)
    input.open()
    output.open()
    #expect(output.write(Array("abcdefg".utf8), maxLength: 7) == 7)
    output.close()
    await listener.next(.endEncountered)
    #expect(listener.data == Data("abcdefg".utf8))
    CFReadStreamSetDispatchQueue(input, nil)
    #expect(CFReadStreamCopyDispatchQueue(input) == nil)
  }

  @Test func writersDelegateStopsHearingAfterClose() async throws {
    let (input, output) = try pair(8)
    let queue = DispatchQueue(label: "writer")
    let listener = Listener()
    output.delegate = listener
    CFWriteStreamSetDispatchQueue(output, queue)
    queue.suspend()
    output.open()
    output.close()
    queue.resume()
    queue.sync {}
    #expect(listener.events.isEmpty)
    input.open()
    #expect(input.streamStatus == .atEnd)
  }
}

/// A stream for another thread than the one that made it.
private struct Handed<Value>: @unchecked Sendable {
  // @unchecked: bound streams may be used by a thread each.
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// Keeps the events it is told, and reads where there is something.
private final class Listener: NSObject, StreamDelegate, @unchecked Sendable {
  // @unchecked: a mutex and an immutable closure.
  private struct State {
    var events: [Stream.Event] = []
    var data = Data()
    var threads: Set<ObjectIdentifier> = []
    var waiting: (Stream.Event, CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())
  private let read: (@Sendable (Stream) -> Data)?

  init(_ read: (@Sendable (Stream) -> Data)? = nil) { self.read = read }

  var events: [Stream.Event] { state.withLock(\.events) }
  var data: Data { state.withLock(\.data) }
  var areOnOneThread: Bool { state.withLock { $0.threads == [ObjectIdentifier(Thread.current)] } }

  /// Returns once `event` has been told.
  func next(_ event: Stream.Event) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.events.contains(event) { return true }
        state.waiting = (event, continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    let piece = eventCode == .hasBytesAvailable ? read?(aStream) ?? Data() : Data()
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.events.append(eventCode)
      state.data += piece
      state.threads.insert(ObjectIdentifier(Thread.current))
      guard let waiting = state.waiting, waiting.0 == eventCode else { return nil }
      state.waiting = nil
      return waiting.1
    }
    waiting?.resume()
  }
}
