import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Resumable uploads in the versions of the draft that servers use.
@Suite(.timeLimit(.minutes(10))) struct UploadInteropTests {
  private static let content = Data("0123456789".utf8)

  /// The first answer to an upload: it names the place of the upload and breaks off after so many bytes of it.
  private static func begun(_ fields: HeaderList = [:], taking count: Int = 0) -> Reply {
    Reply(
      informational: [.init(104, headers: ["Location": "/place"] + fields)],
      faults: [.informationalAtOnce, .breakOffWithinRequest(bodyBytes: count)])
  }

  /// The answer to the question how much has come.
  private static func holds(_ offset: Int, _ fields: HeaderList = [:]) -> Reply {
    Reply(204, headers: ["Upload-Offset": "\(offset)"] + fields)
  }

  private static let done = Reply(201, body: .text("done"))

  /// Runs `body` with a server that has these replies, one after the other. All of them must be needed.
  private func serve(
    _ wire: Wire, _ replies: Reply..., clock: ManualClock? = nil, _ body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    let configuration = try wire.configuration(clock: clock)
    try await wire.serve { server, _ async throws in
      server.enqueue(contentsOf: replies)
      let session = URLSession(configuration: configuration)
      try await body(server, session)
      #expect(server.queuedReplies == 0)
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

  // MARK: versions

  @Test(arguments: [3, 4, 5, 6], Wire.allCases) func serverIsSpokenToInItsVersion(_ version: Int, _ wire: Wire) async throws {
    let says: HeaderList = ["Upload-Draft-Interop-Version": "\(version)"]
    let incomplete: HeaderList = version > 3 ? ["Upload-Complete": "?0"] : ["Upload-Incomplete": "?1"]
    try await serve(wire, Self.begun(says), Self.holds(4, says + incomplete), Self.done) { server, session async throws in
      let (body, response) = try await upload(session, to: server)
      #expect(body == "done" && response.statusCode == 201)
      let requests = server.requests
      #expect(requests.map(\.method) == ["POST", "HEAD", "PATCH"] && requests.map(\.uri) == ["/upload", "/place", "/place"])
      #expect(requests.map(\.connection.ordinal) == (wire.isMultiplexed ? [1, 1, 1] : [1, 2, 2]))
      let (first, question, append) = (requests[0].headers, requests[1].headers, requests[2].headers)
      #expect(first["Upload-Draft-Interop-Version"] == "3" && first["Upload-Incomplete"] == "?0")
      #expect(question["Upload-Draft-Interop-Version"] == "\(version)")
      for name in ["Upload-Complete", "Upload-Incomplete", "Upload-Offset"] { #expect(!question.contains(name: name)) }
      #expect(requests[2].text == "456789")
      #expect(append["Upload-Draft-Interop-Version"] == "\(version)" && append["Upload-Offset"] == "4")
      #expect(append["Upload-Complete"] == (version > 3 ? "?1" : nil))
      #expect(append["Upload-Incomplete"] == (version > 3 ? nil : "?0"))
      #expect((append["Content-Type"] == "application/partial-upload") == (version >= 6))
    }
  }

  @Test(arguments: Wire.allCases) func appMaySayWhichVersionItsServerSpeaks(_ wire: Wire) async throws {
    try await serve(wire, Self.begun(), Self.holds(0), Self.done) { server, session async throws in
      var request = URLRequest("POST", server.url("/upload"))
      request.setValue("6", forHTTPHeaderField: "Upload-Draft-Interop-Version")
      _ = try await session.upload(for: request, from: UploadInteropTests.content)
      #expect(server.requests[0].headers["Upload-Complete"] == "?1" && !server.requests[0].headers.contains(name: "Upload-Incomplete"))
      #expect(server.requests[2].headers["Content-Type"] == "application/partial-upload")
      #expect(server.requests[2].text == "0123456789")
    }
  }

  // MARK: answers

  @Test(arguments: [true, false], Wire.allCases)
  func lostAnswerOfAWholeUploadIsReplacedByTheServersWord(fromFile: Bool, _ wire: Wire) async throws {
    try await serve(wire, Self.begun(taking: 10), Self.holds(10, ["Upload-Complete": "?1"])) { server, session async throws in
      let (body, response) = try await upload(session, to: server, fromFile: fromFile)
      #expect(body.isEmpty && response.statusCode == 204)
      #expect(response.value(forHTTPHeaderField: "Upload-Complete") == "?1")
    }
  }

  @Test(arguments: [true, false], Wire.allCases)
  func wholeUploadThatIsNotCompleteIsCompletedWithoutBytes(fromFile: Bool, _ wire: Wire) async throws {
    let holds = Self.holds(10, ["Upload-Incomplete": "?1"])
    try await serve(wire, Self.begun(taking: 10), holds, Self.done) { server, session async throws in
      #expect(try await upload(session, to: server, fromFile: fromFile).0 == "done")
      let append = try #require(server.requests.last)
      #expect(append.method == "PATCH" && append.body.isEmpty)
      #expect(append.headers["Content-Length"] == "0" && append.headers["Upload-Offset"] == "10")
    }
  }

  @Test(arguments: Wire.allCases) func successThatIsNotCompleteIsGoneOnWith(_ wire: Wire) async throws {
    let partial = Reply(
      201,
      headers: ["Location": "/place", "Upload-Draft-Interop-Version": "5", "Upload-Complete": "?0", "Upload-Offset": "3"])
    try await serve(wire, partial, Self.holds(3, ["Upload-Complete": "?0"]), Self.done) { server, session async throws in
      #expect(try await upload(session, to: server).0 == "done")
      #expect(server.requests.map(\.text) == ["0123456789", "", "3456789"])
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test(arguments: [true, false], Wire.allCases) func appendsKeepToTheServersLimit(fromFile: Bool, _ wire: Wire) async throws {
    let incomplete: HeaderList = ["Upload-Complete": "?0"]
    let begun = Self.begun([
      "Upload-Draft-Interop-Version": "6", "Upload-Limit": "max-size=1000, max-append-size=4;note, expires=60",
    ])
    // Without a field about the offset, all of it has been taken.
    let takesAll = Reply(204)
    try await serve(wire, begun, Self.holds(1, incomplete), Self.holds(5, incomplete), takesAll, Self.done) {
      server, session async throws in
      #expect(try await upload(session, to: server, fromFile: fromFile).0 == "done")
      let appends = server.requests.filter { $0.method == "PATCH" }
      #expect(appends.map(\.text) == ["1234", "5678", "9"])
      #expect(appends.map { $0.headers.all("Upload-Complete") } == [["?0"], ["?0"], ["?1"]])
    }
  }

  // MARK: problems

  private static func problem(_ status: Int, _ name: String) -> Reply {
    Reply(
      status, headers: ["Content-Type": "application/problem+json; charset=utf-8"],
      body: .text("{\"type\":\"https://iana.org/assignments/http-problem-types#\(name)\",\"title\":\"no\"}"))
  }

  @Test(arguments: Wire.allCases) func mismatchingOffsetIsAskedForAgain(_ wire: Wire) async throws {
    let problem = Self.problem(409, "mismatching-upload-offset")
    try await serve(wire, Self.begun(), Self.holds(4), problem, Self.holds(7), Self.done) { server, session async throws in
      #expect(try await upload(session, to: server).0 == "done")
      #expect(server.requests.dropFirst().map(\.text) == ["", "456789", "", "789"])
    }
  }

  @Test(arguments: Wire.allCases) func appendToACompletedUploadEndsInTheServersWord(_ wire: Wire) async throws {
    let complete = Reply(headers: ["Upload-Complete": "?1", "Upload-Offset": "10"])
    try await serve(wire, Self.begun(), Self.holds(4), Self.problem(400, "completed-upload"), complete) { server, session async throws in
      #expect(try await upload(session, to: server).1.value(forHTTPHeaderField: "Upload-Offset") == "10")
    }
  }

  @Test(arguments: Wire.allCases) func otherProblemsAreTheAnswer(_ wire: Wire) async throws {
    try await serve(wire, Self.begun(), Self.holds(4), Self.problem(400, "inconsistent-upload-length")) { server, session async throws in
      let (body, response) = try await upload(session, to: server)
      #expect(response.statusCode == 400 && body.contains("inconsistent-upload-length"))
    }
  }

  // MARK: resuming

  /// Five attempts in a row that bring nothing across are enough; what the server has isn't lost.
  @Test(arguments: Wire.allCases) func attemptsUsedUpGiveResumeDataThatFindsTheUploadComplete(_ wire: Wire) async throws {
    let clock = ManualClock()
    let unlucky = Reply(faults: [.breakOffWithinRequest(bodyBytes: 0)])
    let complete = Self.holds(10, ["Upload-Complete": "?1"])
    try await serve(wire, Self.begun(taking: 10), unlucky, unlucky, unlucky, unlucky, unlucky, complete, clock: clock) {
      server, session async throws in
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
      #expect(server.requestCount == 6)
      #expect(server.acceptedConnections == (wire.isMultiplexed ? 1 : 6))
      let resumeData = try #require(error?.uploadTaskResumeData)
      let (_, response) = try await session.upload(resumeFrom: resumeData)
      #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Upload-Complete") == "?1")
    }
  }

  @Test(arguments: Wire.allCases) func uploadThatWaitsForItsAnswerGivesResumeData(_ wire: Wire) async throws {
    let gate = Gate()
    var first = Self.begun()
    first.faults = [.informationalAtOnce, .delayBeforeHeaders(gate)]
    try await serve(wire, first, Self.holds(10), Self.done) { server, session async throws in
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

  @Test(arguments: Wire.allCases) func fileThatChangedBetweenTwoAttemptsIsAnError(_ wire: Wire) async throws {
    let gate = Gate()
    try await serve(wire, Self.begun(), Self.holds(4).with(.delayBeforeHeaders(gate))) { server, session async throws in
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
