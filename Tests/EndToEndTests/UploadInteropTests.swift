import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Resumable uploads byte by byte, in the versions of the draft that servers speak.
@Suite(.timeLimit(.minutes(1))) struct UploadInteropTests {
  private static let content = Data("0123456789".utf8)

  private static func head(_ status: String, _ fields: String...) -> RawStep {
    .send("HTTP/1.1 \(status)\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n")
  }

  /// The first connection of an upload: it names the place of the upload and breaks after so many bytes of it.
  private static func begun(_ fields: String..., taking count: Int = 0) -> [RawStep] {
    let named = RawStep.send(
      "HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /place\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n")
    return [.readRequestHead, named] + (count > 0 ? [.read(count: count)] : []) + [.close]
  }

  private static let done = [head("201 Created", "Content-Length: 4"), .send("done")]

  /// Runs `body` with a server that has these connections, one after the other.
  private func serve(
    _ scripts: [[RawStep]], clock: ManualClock? = nil, _ body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    var options = try Wire.plain.options()
    options.behaviour = .rawInTurn(scripts)
    let configuration = try Wire.plain.configuration(clock: clock)
    try await TestServer.with(options) { server in
      let session = URLSession(configuration: configuration)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }

  private func upload(_ session: URLSession, to server: TestServer, fromFile: Bool = false) async throws -> (String, HTTPURLResponse) {
    let request = URLRequest("POST", server.url("/upload"))
    let data: Data
    let response: URLResponse
    if fromFile {
      let file = try SourceFile(UploadInteropTests.content)
      (data, response) = try await session.upload(for: request, fromFile: file.url)
    } else {
      (data, response) = try await session.upload(for: request, from: UploadInteropTests.content)
    }
    return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
  }

  private func text(_ server: TestServer, _ connection: Int) -> String {
    String(decoding: server.received(onConnection: connection), as: UTF8.self)
  }

  // MARK: versions

  @Test(arguments: [3, 4, 5, 6]) func serverIsSpokenToInItsVersion(_ version: Int) async throws {
    let says = "Upload-Draft-Interop-Version: \(version)"
    let incomplete = version > 3 ? "Upload-Complete: ?0" : "Upload-Incomplete: ?1"
    let scripts = [
      UploadInteropTests.begun(says),
      [
        .readRequestHead, UploadInteropTests.head("204 No Content", says, "Upload-Offset: 4", incomplete), .readRequestHead,
        .read(count: 6),
      ]
        + UploadInteropTests.done,
    ]
    try await serve(scripts) { server, session async throws in
      let (body, response) = try await upload(session, to: server)
      #expect(body == "done" && response.statusCode == 201)
      let first = text(server, 1)
      #expect(first.contains("\r\nUpload-Draft-Interop-Version: 3\r\n") && first.contains("\r\nUpload-Incomplete: ?0\r\n"))
      let requests = text(server, 2).components(separatedBy: "PATCH ")
      #expect(requests[0].hasPrefix("HEAD /place HTTP/1.1\r\n") && requests[0].contains("\r\n\(says)\r\n"))
      for name in ["Upload-Complete", "Upload-Incomplete", "Upload-Offset"] { #expect(!requests[0].contains(name)) }
      #expect(requests[1].hasPrefix("/place HTTP/1.1\r\n") && requests[1].hasSuffix("\r\n\r\n456789"))
      #expect(requests[1].contains("\r\n\(says)\r\n") && requests[1].contains("\r\nUpload-Offset: 4\r\n"))
      #expect(requests[1].contains(version > 3 ? "\r\nUpload-Complete: ?1\r\n" : "\r\nUpload-Incomplete: ?0\r\n"))
      #expect(!requests[1].contains(version > 3 ? "Upload-Incomplete" : "Upload-Complete"))
      #expect(requests[1].contains("\r\nContent-Type: application/partial-upload\r\n") == (version >= 6))
    }
  }

  @Test func appMaySayWhichVersionItsServerSpeaks() async throws {
    let scripts = [
      UploadInteropTests.begun(),
      [.readRequestHead, UploadInteropTests.head("204 No Content", "Upload-Offset: 0"), .readRequestHead, .read(count: 10)]
        + UploadInteropTests.done,
    ]
    try await serve(scripts) { server, session async throws in
      var request = URLRequest("POST", server.url("/upload"))
      request.setValue("6", forHTTPHeaderField: "Upload-Draft-Interop-Version")
      _ = try await session.upload(for: request, from: UploadInteropTests.content)
      #expect(text(server, 1).contains("\r\nUpload-Complete: ?1\r\n") && !text(server, 1).contains("Upload-Incomplete"))
      #expect(text(server, 2).contains("\r\nContent-Type: application/partial-upload\r\n"))
    }
  }

  // MARK: answers

  @Test(arguments: [true, false]) func lostAnswerOfAWholeUploadIsReplacedByTheServersWord(fromFile: Bool) async throws {
    let scripts = [
      UploadInteropTests.begun(taking: 10),
      [.readRequestHead, UploadInteropTests.head("204 No Content", "Upload-Offset: 10", "Upload-Complete: ?1")],
    ]
    try await serve(scripts) { server, session async throws in
      let (body, response) = try await upload(session, to: server, fromFile: fromFile)
      #expect(body.isEmpty && response.statusCode == 204)
      #expect(response.value(forHTTPHeaderField: "Upload-Complete") == "?1")
    }
  }

  @Test(arguments: [true, false]) func wholeUploadThatIsNotCompleteIsCompletedWithoutBytes(fromFile: Bool) async throws {
    let scripts = [
      UploadInteropTests.begun(taking: 10),
      [.readRequestHead, UploadInteropTests.head("204 No Content", "Upload-Offset: 10", "Upload-Incomplete: ?1"), .readRequestHead]
        + UploadInteropTests.done,
    ]
    try await serve(scripts) { server, session async throws in
      #expect(try await upload(session, to: server, fromFile: fromFile).0 == "done")
      let append = text(server, 2).components(separatedBy: "PATCH ")[1]
      #expect(append.contains("\r\nContent-Length: 0\r\n") && append.contains("\r\nUpload-Offset: 10\r\n"))
    }
  }

  @Test func successThatIsNotCompleteIsGoneOnWith() async throws {
    let partial = UploadInteropTests.head(
      "201 Created", "Location: /place", "Upload-Draft-Interop-Version: 5", "Upload-Complete: ?0", "Upload-Offset: 3", "Content-Length: 0")
    let scripts: [[RawStep]] = [
      [
        .readRequestHead, .read(count: 10), partial, .readRequestHead,
        UploadInteropTests.head("204 No Content", "Upload-Offset: 3", "Upload-Complete: ?0"), .readRequestHead, .read(count: 7),
      ] + UploadInteropTests.done
    ]
    try await serve(scripts) { server, session async throws in
      #expect(try await upload(session, to: server).0 == "done")
      #expect(text(server, 1).hasSuffix("\r\n\r\n3456789"))
    }
  }

  @Test(arguments: [true, false]) func appendsKeepToTheServersLimit(fromFile: Bool) async throws {
    func taken(_ offset: Int) -> RawStep {
      UploadInteropTests.head("204 No Content", "Upload-Offset: \(offset)", "Upload-Complete: ?0")
    }
    let version = "Upload-Draft-Interop-Version: 6"
    let scripts = [
      UploadInteropTests.begun(version, "Upload-Limit: max-size=1000, max-append-size=4;note, expires=60"),
      [
        .readRequestHead, taken(1), .readRequestHead, .read(count: 4), taken(5), .readRequestHead, .read(count: 4),
        // Without a word on the offset, all of it has been taken.
        UploadInteropTests.head("204 No Content"), .readRequestHead, .read(count: 1),
      ] + UploadInteropTests.done,
    ]
    try await serve(scripts) { server, session async throws in
      #expect(try await upload(session, to: server, fromFile: fromFile).0 == "done")
      let appends = text(server, 2).components(separatedBy: "PATCH ").dropFirst().map { $0 }
      #expect(appends.map { $0.components(separatedBy: "\r\n\r\n").last } == ["1234", "5678", "9"])
      #expect(appends.map { $0.contains("\r\nUpload-Complete: ?1\r\n") } == [false, false, true])
      #expect(appends.map { $0.contains("\r\nUpload-Complete: ?0\r\n") } == [true, true, false])
    }
  }

  // MARK: problems

  private func problem(_ status: String, _ name: String) -> [RawStep] {
    let description = "{\"type\":\"https://iana.org/assignments/http-problem-types#\(name)\",\"title\":\"no\"}"
    return [
      UploadInteropTests.head(status, "Content-Type: application/problem+json; charset=utf-8", "Content-Length: \(description.utf8.count)"),
      .send(description),
    ]
  }

  @Test func mismatchingOffsetIsAskedForAgain() async throws {
    let first: [RawStep] = [
      .readRequestHead, UploadInteropTests.head("204 No Content", "Upload-Offset: 4"), .readRequestHead, .read(count: 6),
    ]
    let second: [RawStep] = [
      .readRequestHead, UploadInteropTests.head("204 No Content", "Upload-Offset: 7"), .readRequestHead, .read(count: 3),
    ]
    let scripts = [
      UploadInteropTests.begun(), first + problem("409 Conflict", "mismatching-upload-offset") + second + UploadInteropTests.done,
    ]
    try await serve(scripts) { server, session async throws in
      #expect(try await upload(session, to: server).0 == "done")
      #expect(text(server, 2).hasSuffix("\r\n\r\n789"))
    }
  }

  @Test func appendToACompletedUploadEndsInTheServersWord() async throws {
    let first: [RawStep] = [
      .readRequestHead, UploadInteropTests.head("204 No Content", "Upload-Offset: 4"), .readRequestHead, .read(count: 6),
    ]
    let complete: [RawStep] = [.readRequestHead, UploadInteropTests.head("200 OK", "Upload-Complete: ?1", "Upload-Offset: 10")]
    try await serve([UploadInteropTests.begun(), first + problem("400 Bad Request", "completed-upload") + complete]) {
      server, session async throws in
      #expect(try await upload(session, to: server).1.value(forHTTPHeaderField: "Upload-Offset") == "10")
    }
  }

  @Test func otherProblemsAreTheAnswer() async throws {
    let first: [RawStep] = [
      .readRequestHead, UploadInteropTests.head("204 No Content", "Upload-Offset: 4"), .readRequestHead, .read(count: 6),
    ]
    try await serve([UploadInteropTests.begun(), first + problem("400 Bad Request", "inconsistent-upload-length")]) {
      server, session async throws in
      let (body, response) = try await upload(session, to: server)
      #expect(response.statusCode == 400 && body.contains("inconsistent-upload-length"))
    }
  }

  // MARK: going on

  /// Five attempts in a row that bring nothing across are enough; what the server has isn't lost.
  @Test func attemptsUsedUpGiveResumeDataThatFindsTheUploadComplete() async throws {
    let clock = ManualClock()
    let unlucky = Array(repeating: [RawStep.readRequestHead, .close], count: 5)
    let complete: [RawStep] = [.readRequestHead, UploadInteropTests.head("204 No Content", "Upload-Offset: 10", "Upload-Complete: ?1")]
    try await serve([UploadInteropTests.begun(taking: 10)] + unlucky + [complete], clock: clock) { server, session async throws in
      async let failing: URLError? = {
        do {
          _ = try await upload(session, to: server)
          return nil
        } catch { return error as? URLError }
      }()
      for seconds in [0.25, 0.5, 1, 2] {
        try await clock.waitForWake(within: seconds)
        clock.advance(by: seconds)
      }
      let error = await failing
      #expect(error?.code == .networkConnectionLost)
      #expect(server.acceptedConnections == 6)
      let resumeData = try #require(error?.uploadTaskResumeData)
      let (_, response) = try await session.upload(resumeFrom: resumeData)
      #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Upload-Complete") == "?1")
    }
  }

  @Test func uploadThatWaitsForItsAnswerGivesResumeData() async throws {
    let gate = Gate()
    let first: [RawStep] = [
      .readRequestHead, UploadInteropTests.head("104 Upload Resumption Supported", "Location: /place"), .read(count: 10), .wait(gate),
    ]
    let rest: [RawStep] = [.readRequestHead, UploadInteropTests.head("204 No Content", "Upload-Offset: 10"), .readRequestHead]
    try await serve([first, rest + UploadInteropTests.done]) { server, session async throws in
      let told = Signal()
      let recorder = InformationRecorder(told)
      let task = session.uploadTask(with: URLRequest("POST", server.url("/upload")), from: UploadInteropTests.content)
      task.delegate = recorder
      task.resume()
      try await gate.reached()
      await told.wait()
      let resumeData = try #require(await task.cancelByProducingResumeData())
      let (data, _) = try await session.upload(resumeFrom: resumeData)
      #expect(data == Data("done".utf8))
    }
  }

  @Test func fileThatChangedBetweenTwoAttemptsIsAnError() async throws {
    let gate = Gate()
    let second: [RawStep] = [.readRequestHead, .wait(gate), UploadInteropTests.head("204 No Content", "Upload-Offset: 4")]
    try await serve([UploadInteropTests.begun(), second]) { server, session async throws in
      let file = try SourceFile(UploadInteropTests.content)
      let log = CompletionLog()
      session.uploadTask(with: URLRequest("POST", server.url("/upload")), fromFile: file.url, completionHandler: log.handler).resume()
      try await gate.reached()
      // As long as before.
      try Data("9876543210".utf8).write(to: file.url)
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: file.url.path)
      gate.open()
      #expect(await log.call().code == URLError.Code.requestBodyStreamExhausted.rawValue)
    }
  }
}

/// Says when an informational response has come.
final class InformationRecorder: NSObject, URLSessionTaskDelegate {
  private let told: Signal

  init(_ told: Signal) { self.told = told }

  func urlSession(_ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) { told.send() }
}
