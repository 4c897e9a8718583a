import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Body streams that block, that are slow to open or close, or that don't do what they promise.
@Suite(.timeLimit(.minutes(10))) struct BodyStreamTests {
  @Test(arguments: Wire.allCases) func writerThatPausesLearnsOfTheEndOfItsUpload(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      server.route("/*", reply: .text("late"))
      var (input, output): (InputStream?, OutputStream?)
      Stream.getBoundStreams(withBufferSize: 16, inputStream: &input, outputStream: &output)
      let writer = PausingWriter(try #require(output), size: 16)
      var request = URLRequest("PUT", server.url("/upload"))
      request.httpBodyStream = input
      let task = session.dataTask(with: request)
      task.resume()
      await writer.taken.wait()
      task.cancel()
      #expect((await recorder.completion(of: task) as? URLError)?.code == .cancelled)
      await writer.ended.wait()
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func earlyAnswerIsWholeThoughTheWriterPauses(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/upload", reply: Reply(413, body: .text("too large"), faults: [.replyBeforeRequestBody]))
      var (input, output): (InputStream?, OutputStream?)
      Stream.getBoundStreams(withBufferSize: 16, inputStream: &input, outputStream: &output)
      let writer = PausingWriter(try #require(output), size: 16)
      var request = URLRequest("PUT", server.url("/upload"))
      request.httpBodyStream = input
      let (text, response) = try await session.text(for: request)
      #expect(response.statusCode == 413 && text == "too large")
      // The answer may have come before anything was read: then the end is the release of the stream.
      request.httpBodyStream = nil
      input = nil
      await writer.ended.wait()
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func refusedRequestAsksForItsStreamAnew(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let content = Data(repeating: 7, count: 100_000)
      let supplier = BodySupplier(content)
      let session = URLSession(configuration: configuration, delegate: supplier, delegateQueue: nil)
      server.enqueue(.text("").with(.resetStream(code: 7)), .text("").with(.goAway(isProcessed: false)), .text("done"))
      var request = URLRequest("POST", server.url())
      request.httpBodyStream = InputStream(data: content)
      session.dataTask(with: request).resume()
      #expect(await supplier.completion() == nil)
      #expect(supplier.asked == 2)
      #expect(server.requestCount == 3)
      #expect(server.requests.last?.body == content)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func closedConnectionAsksForTheStreamOfAnIdempotentRequestAnew(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let content = Data(repeating: 7, count: 100_000)
      for (method, supplies, code) in [
        ("PUT", true, nil), ("PUT", false, .requestBodyStreamExhausted), ("POST", true, .networkConnectionLost),
      ] as [(String, Bool, URLError.Code?)] {
        let supplier = BodySupplier(supplies ? content : nil)
        let session = URLSession(configuration: configuration, delegate: supplier, delegateQueue: nil)
        server.enqueue(.text("first"), .text("").with(.disconnectBeforeHeaders))
        server.route("/", reply: .text("done"))
        #expect(try await session.text(from: server.url()).0 == "first")
        var request = URLRequest(method, server.url())
        request.httpBodyStream = InputStream(data: content)
        session.dataTask(with: request).resume()
        #expect((await supplier.completion() as? URLError)?.code == code)
        #expect(supplier.asked == (method == "PUT" ? 1 : 0))
        if code == nil { #expect(server.requests.last?.body == content) }
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: Wire.multiplexed) func errorOfARefusalIsToldWhereNoDelegateSuppliesStreams(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("").with(.resetStream(code: 7)))
      var request = URLRequest("POST", server.url())
      request.httpBodyStream = InputStream(data: Data(repeating: 7, count: 100_000))
      #expect(await session.failure(of: request)?.code == .networkConnectionLost)
      #expect(server.requestCount == 1)
      session.invalidateAndCancel()
    }
  }

  /// A second reader of the same stream would send what the first one hasn't read.
  @Test(arguments: Wire.allCases) func streamThatIsBeingOpenedIsNotSentAgain(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      var redirect = Reply.redirect(to: "/to", status: 307)
      redirect.faults = [.replyBeforeRequestBody, .delayBeforeHeaders(gate)]
      server.route("/from", reply: redirect)
      server.route("/to", reply: .text("all"))
      let stream = ObservedStream(Data(repeating: 1, count: 200_000))
      stream.holdsOpening = true
      var request = URLRequest("PUT", server.url("/from"))
      request.httpBodyStream = stream
      let sent = request
      async let failure = session.failure(of: sent)
      await stream.opening.wait()
      gate.open()
      #expect(await failure?.code == .requestBodyStreamExhausted)
      stream.letOpen()
      #expect(stream.openings == 1)
      #expect(!server.requests.contains { $0.path == "/to" })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func streamThatIsSlowToCloseHoldsUpNoOtherLoad(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/*", reply: .text("done"))
      let stream = ObservedStream(Data(repeating: 1, count: 1000))
      stream.holdsClosing = true
      var request = URLRequest("PUT", server.url("/upload"))
      request.httpBodyStream = stream
      #expect(try await session.text(for: request).0 == "done")
      request.httpBodyStream = nil
      await stream.closing.wait()
      #expect(try await session.text(from: server.url("/other")).0 == "done")
      stream.letClose()
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func streamThatReturnsMoreThanWasAskedForIsAnError(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/*", reply: .text("done"))
      let stream = ObservedStream(Data(repeating: 1, count: 1000))
      stream.surplus = 1 << 20
      var request = URLRequest("PUT", server.url("/upload"))
      request.httpBodyStream = stream
      #expect(await session.failure(of: request)?.code == .requestBodyStreamExhausted)
      session.invalidateAndCancel()
    }
  }
}

/// Fills a bound stream once, and writes nothing more.
final class PausingWriter: NSObject, StreamDelegate, @unchecked Sendable {
  // @unchecked: everything that changes is touched on `queue`.
  /// Sent when the other side has read what was written.
  let taken = Signal()
  /// Sent when the stream has told of its end.
  let ended = Signal()
  private let queue = DispatchQueue(label: "PausingWriter")
  private let output: OutputStream
  private var hasWritten = false

  /// - Parameter size: The size of the stream's buffer.
  init(_ output: OutputStream, size: Int) {
    self.output = output
    self.size = size
    super.init()
    output.delegate = self
    CFWriteStreamSetDispatchQueue(output as CFWriteStream, queue)
    output.open()
  }

  private let size: Int

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    switch eventCode {
    case .hasSpaceAvailable:
      if hasWritten { return taken.send() }
      hasWritten = true
      _ = output.write([UInt8](repeating: 7, count: size), maxLength: size)
    case .endEncountered, .errorOccurred: ended.send()
    default: break
    }
  }
}

/// A stream of data, such as an app might make: each of its calls can be held up, and is counted.
private final class ObservedStream: InputStream {
  // Used by one reader at a time: the settings are made before the stream is used; `state` is a mutex.
  var holdsOpening = false
  var holdsClosing = false
  /// By how much `read` says too much.
  var surplus = 0
  /// Sent when `open` is called, and when `close` is.
  let opening = Signal()
  let closing = Signal()
  private let opens = DispatchSemaphore(value: 0)
  private let closes = DispatchSemaphore(value: 0)
  private let state = Mutex((openings: 0, status: Stream.Status.notOpen))
  private var rest: Data

  override init(data: Data) {
    rest = data
    super.init(data: Data())
  }

  convenience init(_ data: Data) { self.init(data: data) }

  var openings: Int { state.withLock { $0.openings } }
  func letOpen() { opens.signal() }
  func letClose() { closes.signal() }

  override var streamStatus: Stream.Status { state.withLock { $0.status } }
  override var streamError: (any Error)? { nil }
  override var hasBytesAvailable: Bool { !rest.isEmpty }

  override func open() {
    state.withLock { $0.openings += 1 }
    opening.send()
    if holdsOpening { opens.wait() }
    state.withLock { $0.status = .open }
  }

  override func close() {
    state.withLock { $0.status = .closed }
    closing.send()
    if holdsClosing { closes.wait() }
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    let piece = rest.prefix(len)
    piece.copyBytes(to: buffer, count: piece.count)
    rest = Data(rest.dropFirst(piece.count))
    return piece.isEmpty ? 0 : piece.count + surplus
  }
}
