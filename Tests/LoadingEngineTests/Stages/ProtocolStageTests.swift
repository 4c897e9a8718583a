import Foundation
import HTTPTransport
import LoadingModel
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct ProtocolStageTests {
  private let bench = StageBench()

  private func begin(_ request: LoadRequest, _ client: RecordingClient = RecordingClient()) -> BenchLoad {
    bench.begin(request, through: [ProtocolStage(session: bench.session)], client)
  }

  /// A class of the app's: answers with the URL.
  private struct Custom: ProtocolHandler {
    func load(_ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> Loaded {
      let url = request.url ?? URL(filePath: "/")
      let response = LoadResponse(url: url, kind: .plain(mimeType: "text/x-own", textEncoding: nil), expectedLength: -1)
      return Loaded(response: response, body: PieceBody(url.absoluteString))
    }
  }

  @Test(arguments: ["http://192.0.2.1/x", "own://whatever", "data:,x"]) func appsClassesComeFirst(_ url: String) async {
    let client = RecordingClient { $0.customProtocol = { _ in Custom() } }
    #expect(await begin(LoadRequest(url), client).outcome.body == url)
    #expect(bench.network.attempts == 0)
  }

  @Test func schemeThatTheAppsClassesLeaveAloneIsLoadedAsAlways() async {
    let client = RecordingClient { $0.customProtocol = { _ in nil } }
    #expect(await begin(LoadRequest("data:,hello%20there"), client).outcome.body == "hello there")
  }

  @Test func dataAndFilesHaveHandlersOfTheirOwn() async throws {
    #expect(await begin(LoadRequest("data:text/plain;base64,aGVsbG8=")).outcome.body == "hello")
    let file = FileManager.default.temporaryDirectory.appending(path: "protocol-\(UUID().uuidString).txt")
    try Data("from a file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(await begin(LoadRequest(file.absoluteString)).outcome.body == "from a file")
  }

  private static func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "protocol-\(UUID().uuidString).txt")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await body(file.absoluteString)
  }

  @Test func headOfAFileHasItsLengthAndNoBody() async throws {
    try await ProtocolStageTests.withFile("from a file") { url in
      let outcome = await begin(LoadRequest(url, method: "HEAD")).outcome
      #expect(outcome.error == nil)
      #expect(outcome.body.isEmpty)
      #expect(outcome.response?.expectedLength == 11)
    }
  }

  /// Otherwise a request that should have written or removed a file would succeed by reading it.
  @Test(arguments: [("GET", "new"), ("PUT", "new"), ("PUT", nil), ("POST", ""), ("DELETE", nil)] as [(String, String?)])
  func filesAreOnlyRead(_ method: String, _ body: String?) async throws {
    try await ProtocolStageTests.withFile("from a file") { url in
      var request = LoadRequest(url, method: method)
      if let body { request.mutate { $0.body = .data(Data(body.utf8)) } }
      #expect(await begin(request).outcome.error?.kind == .unsupportedURL)
    }
  }

  @Test func httpGoesThroughItsStages() async throws {
    let load = begin(LoadRequest("http://192.0.2.1:8080/a/b/../c?d"))
    let peer = try await bench.network.peer()
    // What is asked for is the path that the URL means.
    #expect(try await peer.receive().hasPrefix("GET /a/c?d HTTP/1.1\r\nHost: 192.0.2.1:8080\r\n"))
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    #expect(await load.outcome.body == "hello")
    #expect(peer.port == 8080)
  }

  @Test(arguments: [
    ("http:///nowhere", LoadError.Kind.badURL), ("http://a.test:99999/", .badURL), ("ws://a.test/", .unsupportedURL),
    ("unheard-of:x", .unsupportedURL), ("no-scheme", .unsupportedURL), ("data:nothing", .cannotDecodeContentData),
  ])
  func urlsWithoutAProtocolFail(_ url: String, _ kind: LoadError.Kind) async {
    let outcome = await begin(LoadRequest(url)).outcome
    #expect(outcome.error?.kind == kind)
    #expect(outcome.error?.phase == .admission)
  }

  @Test func requestWithoutAURLFails() async {
    #expect(await begin(LoadRequest(url: nil)).outcome.error?.kind == .unsupportedURL)
  }

  @Test func loadThatIsCancelledWhileTheAppsClassesAreAskedEnds() async throws {
    let gate = Gate()
    let client = RecordingClient {
      $0.customProtocol = { _ in
        await gate.pass()
        return Custom()
      }
    }
    let load = begin(LoadRequest("own://whatever"), client)
    try await gate.reached()
    // On the event loop: it is through before the gate opens.
    try await bench.onLoop { load.context.interrupt(.cancelled()) }
    gate.open()
    #expect(await load.outcome.error?.kind == .cancelled)
  }

  @Test func interruptedLoadAsksNothing() async {
    let gate = Gate()
    let client = RecordingClient {
      $0.customProtocol = { _ in
        await gate.pass()
        return nil
      }
    }
    let stage = ProtocolStage(session: bench.session)
    let outcome = await bench.load(LoadRequest("data:,x"), through: [stage], client) { $0.context.interrupt(.cancelled()) }
    #expect(outcome.error?.kind == .cancelled)
    #expect(gate.arrivals == 0)
  }
}
