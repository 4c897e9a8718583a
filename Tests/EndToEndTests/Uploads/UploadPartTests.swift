import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Streams that a server wants in parts, and the requests that an interrupted upload is made of.
@Suite(.timeLimit(.minutes(10))) struct UploadPartTests {
  private static let content = Data("0123456789".utf8)
  /// The first answer to an upload: it names the place of the upload and breaks off.
  private static func begun(_ faults: Fault..., limit: HeaderList = [:]) -> Reply {
    let named: HeaderList = ["Location": "/place", "Upload-Draft-Interop-Version": "6"]
    return Reply(
      informational: [.init(104, headers: named + limit)],
      faults: [.informationalAtOnce] + faults)
  }

  private static func holds(_ offset: Int) -> Reply { Reply(204, headers: ["Upload-Offset": "\(offset)", "Upload-Complete": "?0"]) }

  private static let done = Reply(201, body: .text("done"))

  /// Has a first stream that ends or never ends, and further ones that end.
  private final class Supplier: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // @unchecked: the streams are handed over once, to the load.
    private let first: InputStream
    private let writer: OutputStream?
    let offsets = Mutex<[Int64]>([])
    let outcome = Mutex<(any Error)?>(nil)
    let ended = Signal()

    init(firstEnds: Bool) {
      if firstEnds {
        first = InputStream(data: UploadPartTests.content)
        writer = nil
      } else {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(withBufferSize: 64, inputStream: &input, outputStream: &output)
        first = input ?? InputStream(data: UploadPartTests.content)
        writer = output
        output?.open()
        _ = output?.write(Array(UploadPartTests.content), maxLength: UploadPartTests.content.count)
      }
    }

    deinit { writer?.close() }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      completionHandler(first)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
      completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      offsets.withLock { $0.append(offset) }
      completionHandler(InputStream(data: UploadPartTests.content.dropFirst(Int(offset))))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      outcome.withLock { $0 = error }
      ended.send()
    }
  }

  /// A streamed upload whose connection breaks, to a server that then has two of its ten bytes and takes four at a time.
  /// - Parameters:
  ///   - firstEnds: Whether the stream had been read to its end by then.
  ///   - reached: What the server has after each part, the last one not counted.
  /// - Returns: The requests that resume it, and the offsets of the streams that were asked for.
  private func goOn(_ wire: Wire, firstEnds: Bool, reached: [Int]) async throws -> (appends: [RecordedRequest], offsets: [Int64]) {
    let limit: HeaderList = ["Upload-Limit": "max-append-size=4"]
    // A stream's end isn't one of its bytes: it has been seen when an answer is due.
    let first =
      firstEnds
      ? Self.begun(.disconnectBeforeHeaders, .resetStream(code: 2), limit: limit)
      : Self.begun(.breakOffWithinRequest(bodyBytes: Self.content.count), limit: limit)
    let supplier = Supplier(firstEnds: firstEnds)
    var appends: [RecordedRequest] = []
    try await wire.serve { server, configuration async throws in
      server.enqueue(contentsOf: [first, Self.holds(2)] + reached.map { Self.holds($0) } + [Self.done])
      let session = URLSession(configuration: configuration, delegate: supplier, delegateQueue: nil)
      session.uploadTask(withStreamedRequest: URLRequest("POST", server.url("/upload"))).resume()
      await supplier.ended.wait()
      #expect(supplier.outcome.withLock { $0 } == nil)
      #expect(server.queuedReplies == 0)
      appends = Array(server.requests.dropFirst(2))
      #expect(appends.allSatisfy { $0.method == "PATCH" && $0.isComplete })
      session.invalidateAndCancel()
    }
    return (appends, supplier.offsets.withLock { $0 })
  }

  private func areLast(_ appends: [RecordedRequest]) -> [Bool] { appends.map { $0.headers["Upload-Complete"] == "?1" } }

  /// Whether each of these is sent as a stream whose length isn't known before.
  private func areStreams(_ appends: [RecordedRequest], _ wire: Wire) -> [Bool] {
    appends.map { !$0.headers.contains(name: "Content-Length") && ($0.headers["Transfer-Encoding"] == "chunked") == (!wire.isMultiplexed) }
  }

  @Test(arguments: Wire.allCases) func streamOfKnownLengthGoesInPartsTheLastOfWhichSaysSo(_ wire: Wire) async throws {
    let (appends, offsets) = try await goOn(wire, firstEnds: true, reached: [6])
    #expect(appends.map(\.text) == ["2345", "6789"])
    #expect(areStreams(appends, wire) == [true, true])
    #expect(areLast(appends) == [false, true])
    #expect(offsets == [2, 6])
  }

  @Test(arguments: Wire.allCases) func streamOfUnknownLengthEndsWithAnEmptyPart(_ wire: Wire) async throws {
    // The server takes a byte less of the first part than it is sent.
    let (appends, offsets) = try await goOn(wire, firstEnds: false, reached: [5, 9, 10])
    #expect(appends.map(\.text) == ["2345", "5678", "9", ""])
    #expect(areStreams(appends, wire) == [true, true, true, false])
    #expect(areLast(appends) == [false, false, false, true])
    #expect(offsets == [2, 5, 9])
    #expect(appends.last?.headers["Content-Length"] == "0")
  }

  @Test(arguments: Wire.allCases) func streamThatEndsAtALimitNeedsAPartThatFindsItsEnd(_ wire: Wire) async throws {
    let (appends, offsets) = try await goOn(wire, firstEnds: false, reached: [6, 10, 10])
    #expect(appends.map(\.text) == ["2345", "6789", "", ""])
    #expect(areStreams(appends, wire) == [true, true, true, false])
    #expect(areLast(appends) == [false, false, false, true])
    #expect(offsets == [2, 6, 10])
  }

  // MARK: uploads that the server has lost

  @Test(arguments: Wire.allCases) func fileThatVanishedBetweenTwoAttemptsLosesNothingThatWasSent(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(
        Self.begun(.breakOffWithinRequest(bodyBytes: 0)), Self.holds(4).with(.delayBeforeHeaders(gate)), Self.holds(4), Self.done)
      let session = URLSession(configuration: configuration)
      let file = try SourceFile(Self.content)
      let log = CompletionLog()
      session.uploadTask(with: URLRequest("POST", server.url("/upload")), fromFile: file.url, completionHandler: log.handler).resume()
      try await gate.reached()
      let aside = file.url.appendingPathExtension("aside")
      try FileManager.default.moveItem(at: file.url, to: aside)
      gate.open()
      let error = try #require(await log.call().error as? URLError)
      #expect(error.code == .fileDoesNotExist)
      let resumeData = try #require(error.userInfo[NSURLSessionUploadTaskResumeData] as? Data)
      try FileManager.default.moveItem(at: aside, to: file.url)
      #expect(String(decoding: try await session.upload(resumeFrom: resumeData).0, as: UTF8.self) == "done")
      #expect(server.requests.map(\.method) == ["POST", "HEAD", "HEAD", "PATCH"])
      #expect(server.requests.last?.text == "456789")
      session.invalidateAndCancel()
    }
  }

  // MARK: metrics

  @Test(arguments: Wire.allCases) func metricsNameEachRequestOfAnInterruptedUpload(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Self.begun(.breakOffWithinRequest(bodyBytes: 0)), Self.holds(4), Self.done)
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.uploadTask(with: URLRequest("PUT", server.url("/upload")), from: Self.content)
      task.resume()
      _ = await recorder.completion(of: task)
      let requests = try #require(recorder.metrics).transactionMetrics.map(\.request)
      #expect(requests.map(\.httpMethod) == ["PUT", "HEAD", "PATCH"])
      #expect(requests.map { $0.url?.path } == ["/upload", "/place", "/place"])
      session.invalidateAndCancel()
    }
  }
}
