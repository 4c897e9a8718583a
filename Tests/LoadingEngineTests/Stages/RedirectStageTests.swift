import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct RedirectStageTests {
  private let bench = StageBench()
  private let request = LoadRequest("http://a.test/1")

  private func load(_ script: ScriptedStage, _ client: RecordingClient = RecordingClient()) async -> BenchLoad.Outcome {
    await bench.load(request, through: [RedirectStage(), script], client)
  }

  @Test(arguments: [200, 304, 404]) func otherResponsesPassWithTheirBody(_ status: Int) async {
    let client = RecordingClient()
    let outcome = await load(ScriptedStage(.status(status, [], "one", "two")), client)
    #expect(outcome.status == status)
    #expect(outcome.body == "onetwo")
    #expect(outcome.records.count == 1)
    #expect(client.events.isEmpty)
  }

  @Test func redirectIsFollowedAsATransactionOfItsOwn() async {
    let client = RecordingClient()
    let script = ScriptedStage(.status(302, [("Location", "/2")], "moved"), .status(200, [], "here"))
    let outcome = await load(script, client)
    #expect(outcome.body == "here")
    #expect(script.requests.map { $0.url?.absoluteString } == ["http://a.test/1", "http://a.test/2"])
    #expect(client.events == [.redirect(302, to: "http://a.test/2"), .request("http://a.test/2")])
    #expect(outcome.records.count == 2)
    #expect(outcome.records.first?.response?.status == 302)
    #expect(outcome.records.first?.responseEnd != nil)
  }

  @Test func redirectsAreCountedForTheStagesBelow() async {
    let counts = Mutex<[Int]>([])
    let note: @Sendable (Load) -> Void = { load in counts.withLock { $0.append(load.redirectCount) } }
    let redirect = ScriptedStage.Step.status(307, [("Location", "/2")])
    let outcome = await load(ScriptedStage(.with(note, redirect), .with(note, redirect), .with(note, .status(200))))
    #expect(outcome.status == 200)
    #expect(counts.withLock { $0 } == [0, 1, 2])
  }

  @Test func redirectThatTheAppRefusesIsTheResult() async {
    let client = RecordingClient { $0.redirect = { _ in nil } }
    let script = ScriptedStage(.status(302, [("Location", "/2")], "moved"))
    let outcome = await load(script, client)
    #expect(outcome.status == 302)
    #expect(outcome.body == "moved")
    #expect(script.requests.count == 1)
  }

  @Test func requestThatTheAppPutsInItsPlaceIsSent() async {
    let client = RecordingClient { $0.redirect = { _ in LoadRequest("http://b.test/own") } }
    let script = ScriptedStage(.status(302, [("Location", "/2")]), .status(200))
    #expect(await load(script, client).status == 200)
    #expect(script.last?.url?.absoluteString == "http://b.test/own")
    #expect(client.events.last == .request("http://b.test/own"))
  }

  @Test func protocolsProposalIsFollowedWithoutAStatus() async {
    var answer = ScriptedStage.Answer(
      head: ResponseHead(status: 200, headers: HeaderFields()), makeBody: { PieceBody() }, framing: .untilClose)
    answer.proposedRedirect = LoadRequest("http://c.test/")
    let script = ScriptedStage(.answer(answer), .status(200, [], "there"))
    #expect(await load(script).body == "there")
    #expect(script.last?.url?.absoluteString == "http://c.test/")
  }

  @Test func shortBodyOfARedirectIsReadAndALongOneGivenUp() async {
    let short = PieceBody("moved")
    let long = PieceBody("a piece")
    let script = ScriptedStage(
      .status(302, [("Location", "/2")], short, framing: .length(5)), .status(302, [("Location", "/3")], long, framing: .length(1 << 20)),
      .status(200))
    #expect(await load(script).status == 200)
    #expect(short.isRead && !short.isAbandoned)
    #expect(!long.isRead && long.isAbandoned)
  }

  @Test func seventeenthRedirectFails() async {
    let body = PieceBody("again")
    let redirect = ScriptedStage.Step.status(302, [("Location", "/1")], body, framing: .length(5))
    let script = ScriptedStage(Array(repeating: .status(302, [("Location", "/1")]), count: 16) + [redirect])
    let outcome = await load(script)
    #expect(outcome.error?.kind == .httpTooManyRedirects)
    #expect(script.requests.count == 17)
    #expect(body.isAbandoned)
  }

  @Test func protocolThatProposesRedirectsWithoutEndIsGivenUp() async {
    let bodies = (0..<17).map { _ in PieceBody("again") }
    let steps = bodies.map { body in
      var answer = ScriptedStage.Answer(
        head: ResponseHead(status: 200, headers: HeaderFields()), makeBody: { body }, framing: .untilClose)
      answer.proposedRedirect = LoadRequest("http://c.test/")
      return ScriptedStage.Step.answer(answer)
    }
    #expect(await load(ScriptedStage(steps)).error?.kind == .httpTooManyRedirects)
    #expect(bodies.last?.isAbandoned == true)
  }

  @Test func redirectToAFileFailsWithoutAsking() async {
    let client = RecordingClient()
    let body = PieceBody("moved")
    let script = ScriptedStage(.status(302, [("Location", "file:///etc/passwd")], body, framing: .length(5)))
    let outcome = await load(script, client)
    #expect(outcome.error?.kind == .unsupportedURL)
    #expect(body.isAbandoned)
    #expect(client.events.isEmpty)
  }

  @Test func loadThatIsCancelledWhileTheAppIsAskedEndsWithItsAnswer() async throws {
    let gate = Gate()
    let client = RecordingClient {
      $0.redirect = { request in
        await gate.pass()
        return request
      }
    }
    let body = PieceBody("moved")
    let script = ScriptedStage(.status(302, [("Location", "/2")], body, framing: .length(5)), .status(200))
    let load = bench.begin(request, through: [RedirectStage(), script], client)
    try await gate.reached()
    // On the event loop: it is through before the gate opens.
    try await bench.onLoop { load.context.interrupt(.cancelled()) }
    gate.open()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(script.requests.count == 1)
    #expect(body.isAbandoned)
  }

  @Test func loadThatIsCancelledWhileItReadsARedirectsBodyEnds() async throws {
    let gate = Gate()
    let body = PieceBody([.bytes("mo"), .held(gate)])
    let script = ScriptedStage(.status(302, [("Location", "/2")], body, framing: .length(5)), .status(200))
    let load = bench.begin(request, through: [RedirectStage(), script])
    try await gate.reached()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(script.requests.count == 1)
    #expect(body.isAbandoned)
  }
}
