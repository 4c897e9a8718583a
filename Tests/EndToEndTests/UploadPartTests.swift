import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Streams that a server wants in parts, and the requests that an interrupted upload is made of.
@Suite(.timeLimit(.minutes(1))) struct UploadPartTests {
  private static let content = Data("0123456789".utf8)
  private static let version = "Upload-Draft-Interop-Version: 6\r\n"

  private static func named(_ fields: String = "") -> RawStep {
    .send("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /place\r\n\(version)\(fields)\r\n")
  }

  private static func holds(_ offset: Int) -> RawStep {
    .send("HTTP/1.1 204 No Content\r\nUpload-Offset: \(offset)\r\nUpload-Complete: ?0\r\n\r\n")
  }

  private static let done = RawStep.send("HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\ndone")

  /// Has a first stream that ends or goes on for ever, and further ones that end.
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
  /// - Returns: The requests that go on with it, and the offsets of the streams that were asked for.
  private func goOn(firstEnds: Bool, reached: [Int]) async throws -> (appends: [String], offsets: [Int64]) {
    let limit = Self.named("Upload-Limit: max-append-size=4\r\n")
    let first: [RawStep] = [.readRequestHead, limit, .read(until: firstEnds ? "0\r\n\r\n" : "0123456789"), .close]
    var rest: [RawStep] = [.readRequestHead, Self.holds(2)]
    for offset in reached { rest += [.readRequestHead, .read(until: "0\r\n\r\n"), Self.holds(offset)] }
    rest += firstEnds ? [.readRequestHead, .read(until: "0\r\n\r\n"), Self.done] : [.readRequestHead, Self.done]
    var options = try Wire.plain.options()
    options.behaviour = .rawInTurn([first, rest])
    let supplier = Supplier(firstEnds: firstEnds)
    var appends: [String] = []
    try await TestServer.with(options) { server in
      let session = URLSession(configuration: try Wire.plain.configuration(), delegate: supplier, delegateQueue: nil)
      session.uploadTask(withStreamedRequest: URLRequest("POST", server.url("/upload"))).resume()
      await supplier.ended.wait()
      #expect(supplier.outcome.withLock { $0 } == nil)
      let text = String(decoding: server.received(onConnection: 2), as: UTF8.self)
      appends = text.components(separatedBy: "PATCH ").dropFirst().map { $0 }
      session.invalidateAndCancel()
    }
    return (appends, supplier.offsets.withLock { $0 })
  }

  private func bodies(_ appends: [String]) -> [String?] {
    appends.map { $0.components(separatedBy: "\r\n\r\n").dropFirst().first }
  }

  private func areLast(_ appends: [String]) -> [Bool] { appends.map { $0.contains("\r\nUpload-Complete: ?1\r\n") } }

  @Test func streamOfKnownLengthGoesInPartsTheLastOfWhichSaysSo() async throws {
    let (appends, offsets) = try await goOn(firstEnds: true, reached: [6])
    #expect(bodies(appends) == ["4\r\n2345\r\n0", "4\r\n6789\r\n0"])
    #expect(areLast(appends) == [false, true])
    #expect(offsets == [2, 6])
  }

  @Test func streamOfUnknownLengthEndsWithAnEmptyPart() async throws {
    // The server takes a byte less of the first part than it is sent.
    let (appends, offsets) = try await goOn(firstEnds: false, reached: [5, 9, 10])
    #expect(bodies(appends) == ["4\r\n2345\r\n0", "4\r\n5678\r\n0", "1\r\n9\r\n0", ""])
    #expect(areLast(appends) == [false, false, false, true])
    #expect(offsets == [2, 5, 9])
    #expect(appends.last?.contains("\r\nContent-Length: 0\r\n") == true)
  }

  @Test func streamThatEndsAtALimitNeedsAPartThatFindsItsEnd() async throws {
    let (appends, offsets) = try await goOn(firstEnds: false, reached: [6, 10, 10])
    #expect(bodies(appends) == ["4\r\n2345\r\n0", "4\r\n6789\r\n0", "0", ""])
    #expect(areLast(appends) == [false, false, false, true])
    #expect(offsets == [2, 6, 10])
  }

  // MARK: what has gone

  @Test func fileThatVanishedBetweenTwoAttemptsLosesNothingThatWasSent() async throws {
    let gate = Gate()
    var options = try Wire.plain.options()
    options.behaviour = .rawInTurn([
      [.readRequestHead, Self.named(), .close], [.readRequestHead, .wait(gate), Self.holds(4), .close],
      [.readRequestHead, Self.holds(4), .readRequestHead, .read(count: 6), Self.done],
    ])
    try await TestServer.with(options) { server in
      let session = URLSession(configuration: try Wire.plain.configuration())
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
      #expect(String(decoding: server.received(onConnection: 3), as: UTF8.self).hasSuffix("\r\n\r\n456789"))
      session.invalidateAndCancel()
    }
  }

  // MARK: metrics

  @Test func metricsNameEachRequestOfAnInterruptedUpload() async throws {
    var options = try Wire.plain.options()
    options.behaviour = .rawInTurn([
      [.readRequestHead, Self.named(), .close],
      [.readRequestHead, Self.holds(4), .readRequestHead, .read(count: 6), Self.done],
    ])
    try await TestServer.with(options) { server in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: try Wire.plain.configuration(), delegate: recorder, delegateQueue: nil)
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
