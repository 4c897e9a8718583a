import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Bodies of the type multipart/x-mixed-replace.
@Suite(.timeLimit(.minutes(10))) struct MixedReplaceTests {
  private static let body =
    "--b\r\nContent-Type: text/a\r\nContent-Length: 3\r\n\r\none"
    + "\r\n--b\r\nContent-Type: text/b\r\n\r\nt\r\n\r\no\r\n--b--\r\n"

  private static func reply(_ body: [Data], _ faults: Fault...) -> Reply {
    Reply(headers: ["Content-Type": "multipart/x-mixed-replace; boundary=b", "X-Whole": "w"], body: .chunks(body), faults: faults)
  }

  private func serve(_ wire: Wire, _ body: (TestServer, URLSessionConfiguration) async throws -> Void) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/whole", reply: MixedReplaceTests.reply([Data(MixedReplaceTests.body.utf8)]))
      server.route("/bytes", reply: MixedReplaceTests.reply(MixedReplaceTests.body.utf8.map { Data([$0]) }))
      try await body(server, configuration)
    }
  }

  @Test(arguments: ["/whole", "/bytes"], Wire.allCases) func delegateIsToldOfEachPartAndItsData(_ path: String, _ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let parts = PartRecorder()
      let session = URLSession(configuration: configuration, delegate: parts, delegateQueue: nil)
      let task = session.dataTask(with: server.url(path))
      task.resume()
      #expect(await parts.completion() == nil)
      #expect(parts.parts.map(\.type) == ["multipart/x-mixed-replace", "text/a", "text/b"])
      #expect(parts.parts.map(\.data) == ["", "one", "t\r\n\r\no"].map { Data($0.utf8) })
      #expect(parts.parts.map(\.length).suffix(2) == [3, -1])
      #expect(parts.parts.allSatisfy { $0.status == 200 && $0.whole == "w" && $0.url == server.url(path) })
      #expect(task.response?.mimeType == "text/b")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func laterPartThatIsRefusedEndsTheTask(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let parts = PartRecorder { $0 == 3 ? .cancel : .allow }
      let session = URLSession(configuration: configuration, delegate: parts, delegateQueue: nil)
      session.dataTask(with: server.url("/whole")).resume()
      #expect(await parts.completion() == URLError.Code.cancelled.rawValue)
      #expect(parts.parts.map(\.data) == ["", "one", ""].map { Data($0.utf8) })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func partCannotBecomeADownload(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let parts = PartRecorder { $0 == 2 ? .becomeDownload : .allow }
      let session = URLSession(configuration: configuration, delegate: parts, delegateQueue: nil)
      session.dataTask(with: server.url("/whole")).resume()
      #expect(await parts.completion() == URLError.Code.unsupportedURL.rawValue)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func brokenBodyLeavesItsPartsAndAnError(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let start = "--b\r\n\r\none\r\n--b\r\n\r\ntwo"
      server.route(
        "/", reply: MixedReplaceTests.reply([Data(start.utf8), Data("end".utf8)], .disconnectAfterBodyBytes(start.utf8.count)))
      let parts = PartRecorder()
      let session = URLSession(configuration: configuration, delegate: parts, delegateQueue: nil)
      session.dataTask(with: server.url()).resume()
      #expect(await parts.completion() != nil)
      #expect(parts.parts.dropFirst().first?.data == Data("one".utf8))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func callsWithoutADelegateHaveTheBodyAsItComes(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let raw = Data(MixedReplaceTests.body.utf8)
      let session = URLSession(configuration: configuration)
      #expect(try await session.data(from: server.url("/whole")).0 == raw)
      let (bytes, response) = try await session.bytes(from: server.url("/bytes"))
      #expect(try await bytes.reduce(into: Data()) { $0.append($1) } == raw)
      #expect(response.mimeType == "multipart/x-mixed-replace")
      let log = CompletionLog()
      session.dataTask(with: server.url("/bytes"), completionHandler: log.handler).resume()
      #expect(await log.call().data == raw)
      let (file, _) = try await session.download(from: server.url("/whole"))
      #expect(try Data(contentsOf: file) == raw)
      try FileManager.default.removeItem(at: file)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func bodyThatNamesNoBoundaryComesAsItIs(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: Reply(headers: ["Content-Type": "multipart/x-mixed-replace"], body: .text(MixedReplaceTests.body)))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.body == Data(MixedReplaceTests.body.utf8))
      #expect(recorder.milestones.filter { $0 == .response(status: 200) }.count == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func partsWaitForADelegateThatIsSlow(_ wire: Wire) async throws {
    try await wire.serve({ $0.sendBufferSize = 65_536 }) { server, configuration async throws in
      let size = 96 << 20
      let part = Data("--b\r\n\r\n".utf8) + Data(repeating: 7, count: 1 << 20)
      server.route("/", reply: MixedReplaceTests.reply(Array(repeating: part, count: size >> 20)))
      let gate = Gate()
      let recorder = DelegateRecorder(dataGate: gate)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      try await gate.reached()
      try await settle(server)
      #expect(server.sentBytes < size)
      gate.open()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.body.count == size)
      #expect(recorder.milestones.filter { $0 == .response(status: 200) }.count == size >> 20 + 1)
      session.invalidateAndCancel()
    }
  }
}
