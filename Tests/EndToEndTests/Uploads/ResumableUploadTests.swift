import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ResumableUploadTests {
  /// A generator of the same numbers each time (xorshift).
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  private static func noise(_ count: Int) -> Data {
    var generator = Seeded()
    return Data(random: count, from: &generator)
  }

  /// Those of `UploadServer`.
  private static let wires: [Wire] = [.plain, .h2]

  private static var cuts: [UploadServer.Fault] {
    var generator = Seeded(state: 42)
    // Each cut is followed by a connection that asks for the offset and sends the rest.
    return (0..<20).map { _ in .close(after: Int.random(in: 300_000...900_000, using: &generator)) }
  }

  @Test(arguments: [true, false], ResumableUploadTests.wires)
  func uploadCutTwentyTimesArrivesWhole(fromFile: Bool, _ wire: Wire) async throws {
    let content = ResumableUploadTests.noise(20 << 20)
    try await UploadServer.with(ResumableUploadTests.cuts, wire.options()) { server, url async throws in
      let session = URLSession(configuration: try wire.configuration())
      let request = URLRequest("PUT", url)
      let response: URLResponse
      if fromFile {
        let file = try SourceFile(content)
        response = try await session.upload(for: request, fromFile: file.url).1
      } else {
        response = try await session.upload(for: request, from: content).1
      }
      #expect((response as? HTTPURLResponse)?.statusCode == 201)
      #expect(server.state.withLock { $0.content == content && $0.isComplete })
      #expect(server.state.withLock { $0.faults.isEmpty })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [5, 6], ResumableUploadTests.wires)
  func newerVersionsAreSpokenWhereTheAppSaysSo(_ version: Int, _ wire: Wire) async throws {
    let content = ResumableUploadTests.noise(4 << 20)
    let cuts = (1...4).map { UploadServer.Fault.close(after: 200_000 * $0) }
    try await UploadServer.with(cuts, wire.options()) { server, url async throws in
      let session = URLSession(configuration: try wire.configuration())
      var request = URLRequest("PUT", url)
      request.setValue("\(version)", forHTTPHeaderField: "Upload-Draft-Interop-Version")
      let (_, response) = try await session.upload(for: request, from: content)
      #expect((response as? HTTPURLResponse)?.statusCode == 201)
      #expect(server.state.withLock { $0.content == content && $0.faults.isEmpty })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ResumableUploadTests.wires) func streamedUploadGoesOnWithAStreamFromTheOffset(_ wire: Wire) async throws {
    let content = ResumableUploadTests.noise(4 << 20)
    try await UploadServer.with([.close(after: 1_000_000)], wire.options()) { server, url async throws in
      let supplier = BodySupplier(content)
      let session = URLSession(configuration: try wire.configuration(), delegate: supplier, delegateQueue: nil)
      session.uploadTask(withStreamedRequest: URLRequest("PUT", url)).resume()
      #expect(await supplier.completion() == nil)
      #expect(supplier.asked == 1)
      #expect(supplier.offsets.count == 1)
      #expect(server.state.withLock { $0.content == content })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ResumableUploadTests.wires) func cancelledUploadGoesOnInAnotherSession(_ wire: Wire) async throws {
    let content = ResumableUploadTests.noise(30 << 20)
    let file = try SourceFile(content)
    try await UploadServer.with([.stall(after: 2_000_000)], wire.options()) { server, url async throws in
      let first = URLSession(configuration: try wire.configuration())
      let log = CompletionLog()
      let task = first.uploadTask(with: URLRequest("PUT", url), fromFile: file.url, completionHandler: log.handler)
      let told = Signal()
      let recorder = InformationRecorder(told)
      task.delegate = recorder
      task.resume()
      try await server.stalled.reached()
      // Where the upload can be resumed is what the first informational response says.
      await told.wait()
      let resumeData = try #require(await task.cancelByProducingResumeData())
      let error = await log.call().error as? URLError
      #expect(error?.code == .cancelled)
      #expect(error?.userInfo[NSURLSessionUploadTaskResumeData] as? Data == resumeData)
      first.invalidateAndCancel()

      let second = URLSession(configuration: try wire.configuration())
      let (_, response) = try await second.upload(resumeFrom: resumeData)
      #expect((response as? HTTPURLResponse)?.statusCode == 201)
      #expect(server.state.withLock { $0.content == content })
      second.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func serverWithoutResumptionGivesNoResumeData(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.route("/", reply: Reply.text("x").with(.delayBeforeHeaders(gate)))
      let task = session.uploadTask(with: URLRequest("PUT", server.url()), from: Data("content".utf8))
      task.resume()
      try await gate.reached()
      #expect(await task.cancelByProducingResumeData() == nil)
      #expect(await task.cancelByProducingResumeData() == nil)
      gate.open()
      session.invalidateAndCancel()
    }
  }

  @Test func damagedResumeDataIsAnError() async throws {
    let session = URLSession(configuration: .testing())
    let log = CompletionLog()
    session.uploadTask(withResumeData: Data("nonsense".utf8), completionHandler: log.handler).resume()
    #expect(await log.call().code == URLError.Code.unsupportedURL.rawValue)
    session.invalidateAndCancel()
  }
}
