import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct TunnelAnswerStageTests {
  private let bench = StageBench()

  private func load(_ step: ScriptedStage.Step) async -> BenchLoad.Outcome {
    await bench.load(LoadRequest("https://a.test/"), through: [TunnelAnswerStage(), ScriptedStage(step)])
  }

  private static func refusal(_ status: Int, shown: Int = 0) -> LoadError {
    var error = LoadError(.cannotConnectToHost, .connect, "the proxy opens no tunnel")
    let head = ResponseHead(status: status, headers: HeaderFields([("Proxy-Authenticate", "Basic realm=\"p\"")]))
    error.proxy = ProxyFault(.httpBadCredentials, answer: head, shown: shown)
    return error
  }

  @Test func responsesPass() async {
    let outcome = await load(.status(407, [], "the origin's own"))
    #expect(outcome.body == "the origin's own")
  }

  @Test func proxysQuestionBecomesAResponseWithoutABody() async {
    let outcome = await load(.fail(TunnelAnswerStageTests.refusal(407)))
    #expect(outcome.status == 407)
    #expect(outcome.field("Proxy-Authenticate") == "Basic realm=\"p\"")
    #expect(outcome.body.isEmpty)
    #expect(outcome.error == nil)
  }

  /// The stage above tells it from the origin's by its body, which still knows the error.
  @Test func bodyOfThatResponseKeepsTheError() async throws {
    let (bench, script) = (bench, ScriptedStage(.fail(TunnelAnswerStageTests.refusal(407))))
    let request = LoadRequest("https://a.test/")
    let context = bench.session.makeContext(request)
    let message = try await Task(executorPreference: bench.session.executor) {
      let loaded = try await Next([TunnelAnswerStage(), script], Load(context, RecordingClient()))(request, context)
      return (loaded.body as? TunnelRefusal)?.error.message
    }.value
    #expect(message == "the proxy opens no tunnel")
  }

  @Test func otherAnswersOfAProxyStayErrors() async {
    #expect(await load(.fail(TunnelAnswerStageTests.refusal(403))).error?.proxy?.answer?.status == 403)
    #expect(await load(.fail(LoadError(.timedOut, .connect, "late"))).error?.kind == .timedOut)
  }

  private func loadWithLogin(_ steps: [ScriptedStage.Step]) async -> (BenchLoad.Outcome, Int) {
    let script = ScriptedStage(steps)
    let outcome = await bench.load(LoadRequest("https://a.test/"), through: [TunnelAnswerStage(), script]) { load in
      let attempt = RouteAttempt(.tunnel(Proxy(.http, host: "192.0.2.7", port: 1)))
      attempt.authorize = { _ in "Basic eDp5" }
      load.context.terms.routeAttempt = attempt
    }
    return (outcome, script.requests.count)
  }

  /// A tunnel that was begun before the login was known, or for another load.
  @Test func refusalOfWhatAnotherHasShownIsNoAnswerToTheLogin() async {
    let other = ScriptedStage.Step.fail(TunnelAnswerStageTests.refusal(407))
    let (outcome, asked) = await loadWithLogin([other, other, .status(200, [], "in")])
    #expect(outcome.body == "in" && outcome.error == nil && asked == 3)
    // Not for ever: then it is told as it is.
    let (last, attempts) = await loadWithLogin(Array(repeating: other, count: 20))
    #expect(last.status == 407 && attempts == 9)
  }

  @Test func refusalOfItsOwnLoginIsTheAnswer() async {
    let (bench, request) = (bench, LoadRequest("https://a.test/"))
    let context = bench.session.makeContext(request)
    let status = await Task(executorPreference: bench.session.executor) { () -> Int? in
      let attempt = RouteAttempt(.tunnel(Proxy(.http, host: "192.0.2.7", port: 1)))
      attempt.authorize = { _ in "Basic eDp5" }
      context.terms.routeAttempt = attempt
      let own = ScriptedStage(.fail(TunnelAnswerStageTests.refusal(407, shown: attempt.showing)))
      return try? await Next([TunnelAnswerStage(), own], Load(context, RecordingClient()))(request, context).response.status
    }.value
    #expect(status == 407)
  }

  @Test func interruptedLoadGetsItsError() async {
    let step = ScriptedStage.Step.with({ $0.context.interrupt(.cancelled()) }, .fail(TunnelAnswerStageTests.refusal(407)))
    #expect(await load(step).error != nil)
  }
}
