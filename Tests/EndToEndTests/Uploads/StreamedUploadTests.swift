import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Uploads whose body is written into one end of a pair of bound streams, as packages that stream bodies do it: a delegate on a dispatch
/// queue writes when it is told of room.
@Suite(.timeLimit(.minutes(10))) struct StreamedUploadTests {
  @Test(arguments: Wire.allCases) func bodyOf10MiBIsWrittenWhenThereIsRoom(_ wire: Wire) async throws {
    let total = 10 << 20
    try await wire.serve({ $0.recordedBodyLimit = total + 1 }) { server, configuration async throws in
      server.enqueue(.text("ok"))
      let supplier = StreamedBody(pieces: 640, of: 16_384)
      let session = URLSession(configuration: configuration, delegate: supplier, delegateQueue: nil)
      session.uploadTask(withStreamedRequest: URLRequest("POST", server.url())).resume()
      #expect(await supplier.completion() == nil)
      let received = try await server.waitForRequest()
      #expect(received.bodyLength == total)
      #expect(received.body == supplier.content)
      #expect(supplier.largestLead <= 16_384)
      #expect(supplier.streamEvents.first == .openCompleted)
      #expect(!supplier.streamEvents.contains(.errorOccurred))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func cancelledUploadTellsTheWriterThatWaitsForAServer(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.route("/*", reply: Reply.text("late").with(.slowReader(gate)))
      let supplier = StreamedBody(pieces: 100_000, of: 16_384)
      let session = URLSession(configuration: configuration, delegate: supplier, delegateQueue: nil)
      let task = session.uploadTask(withStreamedRequest: URLRequest("POST", server.url()))
      task.resume()
      try await gate.reached()
      task.cancel()
      #expect((await supplier.completion() as? URLError)?.code == .cancelled)
      await supplier.writersEnd()
      // Nothing more is wanted, which is no error of the writer's: it is told by an event, or by a write that takes nothing.
      #expect(!supplier.streamEvents.contains(.errorOccurred) && supplier.streamError == nil)
      gate.open()
      session.invalidateAndCancel()
    }
  }
}

/// A delegate that supplies a bound stream when it is asked for a body, and has its pieces written into the other end.
private final class StreamedBody: NSObject, URLSessionDataDelegate {
  private struct State {
    var writer: BodyWriter?
    var error: (any Error)?
  }

  private let state = Mutex(State())
  private let ended = Signal()
  private let pieces: Int
  private let size: Int

  init(pieces: Int, of size: Int) {
    self.pieces = pieces
    self.size = size
  }

  /// All that is to be sent.
  var content: Data { (0..<pieces).reduce(into: Data()) { $0.append(contentsOf: BodyWriter.piece($1, of: size)) } }
  var streamEvents: [Stream.Event] { state.withLock(\.writer)?.facts.events ?? [] }
  var streamError: (any Error)? { state.withLock(\.writer)?.facts.error }
  /// Most bytes that had been produced and not yet written.
  var largestLead: Int { state.withLock(\.writer)?.facts.largestLead ?? 0 }

  /// The error of the task, once it has ended.
  func completion() async -> (any Error)? {
    await ended.wait()
    return state.withLock(\.error)
  }

  /// Returns once the writer has been told that the pipe is broken, or has written everything.
  func writersEnd() async { await state.withLock(\.writer)?.ended.wait() }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    var (input, output): (InputStream?, OutputStream?)
    Stream.getBoundStreams(withBufferSize: 16_384, inputStream: &input, outputStream: &output)
    if let output {
      let writer = BodyWriter(output, pieces, size)
      state.withLock { $0.writer = writer }
    }
    completionHandler(input)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { $0.error = error }
    ended.send()
  }
}

/// Writes what an asynchronous producer makes into a stream, when the stream has room. The producer waits until its piece is written.
private final class BodyWriter: NSObject, StreamDelegate, @unchecked Sendable {
  // @unchecked: everything that changes is touched on `queue`.
  struct Facts {
    var events: [Stream.Event] = []
    var error: (any Error)?
    var largestLead = 0
  }

  let ended = Signal()
  private let queue = DispatchQueue(label: "BodyWriter")
  private let output: OutputStream
  private let pieces: Int
  private let size: Int
  private var known = Facts()
  private var rest: ArraySlice<UInt8> = []
  private var producer: CheckedContinuation<Bool, Never>?
  private var hasRoom = false

  init(_ output: OutputStream, _ pieces: Int, _ size: Int) {
    self.output = output
    self.pieces = pieces
    self.size = size
    super.init()
    output.delegate = self
    CFWriteStreamSetDispatchQueue(output as CFWriteStream, queue)
    output.open()
  }

  var facts: Facts { queue.sync { known } }

  static func piece(_ number: Int, of size: Int) -> [UInt8] { [UInt8](repeating: UInt8(truncatingIfNeeded: number &* 31), count: size) }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    dispatchPrecondition(condition: .onQueue(queue))
    known.events.append(eventCode)
    switch eventCode {
    case .openCompleted: produce()
    case .hasSpaceAvailable:
      hasRoom = true
      write()
    case .errorOccurred, .endEncountered: stop()
    default: Issue.record("an output stream has no event \(eventCode)")
    }
  }

  private func produce() {
    Task { [self] in
      for number in 0..<pieces {
        let piece = BodyWriter.piece(number, of: size)
        let goesOn = await withCheckedContinuation { continuation in queue.async { [self] in take(piece, from: continuation) } }
        guard goesOn else { return }
      }
      queue.async { [self] in
        output.close()
        ended.send()
      }
    }
  }

  private func take(_ piece: [UInt8], from continuation: CheckedContinuation<Bool, Never>) {
    guard output.streamStatus == .open else { return continuation.resume(returning: false) }
    rest = piece[...]
    known.largestLead = max(known.largestLead, rest.count)
    producer = continuation
    if hasRoom { write() }
  }

  private func write() {
    guard !rest.isEmpty else { return }
    let count = rest.withUnsafeBufferPointer { bytes in bytes.baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0 }
    guard count > 0 else { return stop() }
    rest = rest.dropFirst(count)
    hasRoom = output.hasSpaceAvailable
    guard rest.isEmpty else { return }
    resumeProducer(true)
  }

  private func stop() {
    known.error = output.streamError
    output.close()
    resumeProducer(false)
    ended.send()
  }

  private func resumeProducer(_ goesOn: Bool) {
    producer?.resume(returning: goesOn)
    producer = nil
  }
}
