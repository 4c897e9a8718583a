import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct SniffingStageTests {
  private let bench = StageBench()

  private func load(_ script: ScriptedStage, _ url: String = "http://a.test/") async -> BenchLoad.Outcome {
    await bench.load(LoadRequest(url), through: [SniffingStage(), script])
  }

  @Test(arguments: ["http://a.test/", "HTTPS://a.test/"]) func typeIsFoundInTheFirstPieceAndNothingOfTheBodyIsLost(_ url: String) async {
    let outcome = await load(ScriptedStage(.status(200, [], "<html>", "\0rest")), url)
    #expect(outcome.response?.sniffedType == "text/html")
    #expect(outcome.body == "<html>\0rest")
  }

  @Test func typeOfADecodedBodyIsThatOfItsContent() async {
    let gzip = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==") ?? Data()
    let script = ScriptedStage(.status(200, [("Content-Encoding", "gzip")], PieceBody([.data(gzip)]), framing: .untilClose))
    let outcome = await bench.load(LoadRequest("http://a.test/"), through: [SniffingStage(), DecodingStage(), script])
    #expect(outcome.response?.sniffedType == "text/plain")
    #expect(outcome.body == "hello hello hello")
  }

  /// Notes whether the body had been read when the response came.
  private final class Probe: Stage {
    private let body: PieceBody
    let wasRead = Mutex<Bool?>(nil)

    init(_ body: PieceBody) { self.body = body }

    func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
      let loaded = try await next(request, context)
      wasRead.withLock { $0 = body.isRead }
      return loaded
    }
  }

  @Test(
    arguments: [
      (200, [("Content-Type", "application/octet-stream")], .length(2)), (206, [], .length(2)), (304, [], .none), (204, [], .none),
      (200, [], .length(0)), (101, [], .none),
    ] as [(Int, [(String, String)], ResponseBodyFraming)])
  func responsesWithATypeOrWithoutAWholeBodyPassAtOnce(_ status: Int, _ fields: [(String, String)], _ framing: ResponseBodyFraming) async {
    let body = PieceBody("ab")
    let probe = Probe(body)
    let script = ScriptedStage(.status(status, fields.map { (name: $0.0, value: $0.1) }, body, framing: framing))
    let outcome = await bench.load(LoadRequest("http://a.test/"), through: [probe, SniffingStage(), script])
    #expect(probe.wasRead.withLock { $0 } == false)
    #expect(outcome.response?.sniffedType == nil)
    #expect(outcome.body == "ab")
  }

  @Test func responseOfAnotherSchemePasses() async {
    #expect(await load(ScriptedStage(.status(200, [], "<html>")), "ws://a.test/").response?.sniffedType == nil)
  }

  @Test func bodyThatTurnsOutEmptyHasNoType() async {
    let outcome = await load(ScriptedStage(.status(200, [], PieceBody(), framing: .chunked)))
    #expect(outcome.status == 200)
    #expect(outcome.response?.sniffedType == nil)
    #expect(outcome.error == nil)
  }

  @Test func responseWhoseBodyBreaksBeforeItBeginsIsReturnedAllTheSame() async {
    let lost = LoadError(.networkConnectionLost, .body, "lost")
    let outcome = await load(ScriptedStage(.status(200, [], PieceBody([.fail(lost)]), framing: .chunked)))
    #expect(outcome.status == 200)
    #expect(outcome.response?.sniffedType == nil)
    #expect(outcome.error?.kind == .networkConnectionLost)
  }

  @Test func loadThatIsCancelledWhileItWaitsForBytesEnds() async throws {
    let gate = Gate()
    let body = PieceBody([.held(gate), .bytes("late")])
    let load = bench.begin(
      LoadRequest("http://a.test/"), through: [SniffingStage(), ScriptedStage(.status(200, [], body, framing: .chunked))])
    try await gate.reached()
    load.cancel()
    let outcome = await load.outcome
    #expect(outcome.error?.kind == .cancelled)
    #expect(outcome.status == nil)
    #expect(body.isAbandoned)
  }
}
