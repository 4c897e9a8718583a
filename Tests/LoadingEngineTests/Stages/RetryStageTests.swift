import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct RetryStageTests {
  private let bench = StageBench()

  private func load(
    _ script: ScriptedStage, _ method: String = "GET", _ body: LoadRequest.Body = .none
  ) async -> BenchLoad.Outcome {
    let request = LoadRequest("http://a.test/", method: method, body: body)
    return await bench.load(request, through: [RetryStage(session: bench.session), script])
  }

  private static func lost(_ reason: LoadError.ResendReason? = nil) -> LoadError {
    var error = LoadError(.networkConnectionLost, .head, "lost")
    error.resendReason = reason
    return error
  }

  private static let stale = lost(.staleConnection)
  private static let refused = lost(.refused)
  private static let cutOff = lost(.cutOff)

  @Test func responsesPassAsTheyAre() async {
    let script = ScriptedStage(.status(503, [("Retry-After", "1")], "busy"))
    let outcome = await load(script)
    #expect(outcome.status == 503)
    #expect(outcome.body == "busy")
    #expect(script.requests.count == 1)
  }

  @Test func requestOnADeadConnectionIsSentAgainAsATransactionOfItsOwn() async {
    let script = ScriptedStage(.fail(RetryStageTests.stale), .status(200, [], "here"))
    let outcome = await load(script)
    #expect(outcome.body == "here")
    #expect(outcome.records.count == 2)
    #expect(script.requests.count == 2)
  }

  @Test(arguments: ["POST", "PATCH"]) func requestThatMayHaveBeenActedOnIsNotSentTwice(_ method: String) async {
    let script = ScriptedStage(.fail(RetryStageTests.stale), .status(200))
    #expect(await load(script, method).error?.kind == .networkConnectionLost)
    #expect(script.requests.count == 1)
  }

  @Test func requestThatTheServerRefusedIsSentAgainWhateverItsMethod() async {
    let script = ScriptedStage(.fail(RetryStageTests.refused), .fail(RetryStageTests.refused), .status(201))
    #expect(await load(script, "POST", .data(Data("x".utf8))).status == 201)
    #expect(script.requests.count == 3)
  }

  @Test func attemptsAreBounded() async {
    let script = ScriptedStage(Array(repeating: .fail(RetryStageTests.refused), count: 50))
    #expect(await load(script).error?.resendReason == .refused)
    #expect(script.requests.count == RetryRules.maximumRefusals + 1)
  }

  @Test func errorsThatSayNothingOfTheConnectionPass() async {
    let script = ScriptedStage(.fail(RetryStageTests.lost()), .status(200))
    #expect(await load(script).error?.kind == .networkConnectionLost)
    #expect(script.requests.count == 1)
  }

  @Test func newConnectionThatBreaksIsOnlyReplacedOnceTheServerHasAnswered() async throws {
    let first = ScriptedStage(.fail(RetryStageTests.cutOff), .status(200))
    #expect(await load(first).error?.resendReason == .cutOff)
    let origin = try #require(LoadRequest("http://a.test/").target?.origin)
    try await bench.onLoop { [bench] in bench.session.noteAnswer(of: origin) }
    let second = ScriptedStage(.fail(RetryStageTests.cutOff), .status(200))
    #expect(await load(second).status == 200)
    #expect(second.requests.count == 2)
  }

  @Test func misdirectedRequestGoesOverAConnectionOfItsOwnOnce() async {
    let needs = Mutex<[Bool]>([])
    let misdirected = PieceBody("wrong place")
    func step(_ step: ScriptedStage.Step) -> ScriptedStage.Step {
      .with(
        { load in
          load.context.record.isReusedConnection = true
          needs.withLock { $0.append(load.context.terms.need == .fresh) }
        }, step)
    }
    let script = ScriptedStage(
      step(.status(421, [], misdirected, framing: .length(11))), step(.status(421, [], "still wrong")), step(.status(200)))
    let outcome = await load(script)
    #expect(outcome.status == 421)
    #expect(outcome.body == "still wrong")
    #expect(needs.withLock { $0 } == [false, true])
    #expect(misdirected.isRead)
    #expect(outcome.records.first?.response?.status == 421)
  }

  @Test func whatAFreshConnectionSaysOfMisdirectionStands() async {
    let script = ScriptedStage(.status(421, [], "wrong place"), .status(200))
    #expect(await load(script).body == "wrong place")
    #expect(script.requests.count == 1)
  }

  @Test func bodyStreamThatHasBeenReadIsNotSentAgain() async {
    let script = ScriptedStage(.fail(RetryStageTests.refused), .status(200))
    let request = LoadRequest("http://a.test/", method: "PUT", body: .stream(InputStream(data: Data("x".utf8))))
    let stages: [any Stage] = [RetryStage(session: bench.session), BodyReadingStage(), script]
    #expect(await bench.load(request, through: stages).error?.resendReason == .refused)
    #expect(script.requests.count == 1)
    let untouched = ScriptedStage(.fail(RetryStageTests.refused), .status(200))
    #expect(await load(untouched, "PUT", .stream(InputStream(data: Data("x".utf8)))).status == 200)
  }

  @Test func bodyStreamThatHasBeenReadIsAskedForAnew() async {
    let client = RecordingClient { $0.bodyStream = { _ in .stream(InputStream(data: Data("x".utf8))) } }
    let script = ScriptedStage(.fail(RetryStageTests.refused), .status(421, [], "wrong place"))
    let request = LoadRequest("http://a.test/", method: "PUT", body: .stream(InputStream(data: Data("x".utf8))))
    let stages: [any Stage] = [RetryStage(session: bench.session), BodyReadingStage(), script]
    #expect(await bench.load(request, through: stages, client).status == 421)
    #expect(script.requests.count == 2)
    #expect(client.events.contains(.newBodyStream(from: 0)))
  }

  @Test func interruptedLoadIsNotRepeated() async {
    let script = ScriptedStage(.with({ $0.context.interrupt(.cancelled()) }, .fail(RetryStageTests.stale)), .status(200))
    #expect(await load(script).error != nil)
    #expect(script.requests.count == 1)
  }

  @Test func loadThatIsCancelledBelowEnds() async throws {
    let gate = Gate()
    let script = ScriptedStage(.held(gate, .status(200)))
    let load = bench.begin(LoadRequest("http://a.test/"), through: [RetryStage(session: bench.session), script])
    try await gate.reached()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(script.requests.count == 1)
  }
}

/// Reads the beginning of the request's body, as an exchange does.
private struct BodyReadingStage: Stage {
  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    _ = try await RequestBody.open(request.body, next.load)?.nextPiece()
    return try await next(request, context)
  }
}
