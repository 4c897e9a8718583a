import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

/// How a load goes through stages that have nothing to do for it, and through those that have.
@Suite(.timeLimit(.minutes(10))) struct PassingStagesTests {
  /// Which stages were called, and in which order.
  private final class Record: Sendable {
    private let calls = Mutex<[String]>([])
    var all: [String] { calls.withLock(\.self) }
    func note(_ call: String) { calls.withLock { $0.append(call) } }
  }

  private struct Noted: Stage {
    enum Way: Sendable {
      case passes
      /// The response isn't settled: the stage asks once more.
      case asksAgain
      /// Errors become a request of its own.
      case recovers
      case loads
    }

    let name: String
    let way: Way
    let record: Record

    func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool {
      record.note("\(name)?")
      if case .loads = way { return false }
      return true
    }

    func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
      record.note("\(name) loads")
      defer { record.note("\(name) has loaded") }
      return try await next(request, context)
    }

    func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool {
      record.note("\(name) settles \(loaded.response.status ?? 0)")
      if case .asksAgain = way, loaded.response.status == 401 { return false }
      return true
    }

    func answer(
      _ outcome: Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
    ) async throws(LoadError) -> Loaded {
      switch (way, outcome) {
      case (.asksAgain, .success), (.recovers, .failure):
        record.note("\(name) asks again")
        return try await next(request, context)
      case (.passes, _), (.loads, _), (.asksAgain, .failure), (.recovers, .success):
        record.note("\(name) answers")
        return try outcome.get()
      }
    }
  }

  private let record = Record()

  private func stage(_ name: String, _ way: Noted.Way = .passes) -> Noted { Noted(name: name, way: way, record: record) }

  private func load(_ stages: [any Stage], _ steps: ScriptedStage.Step...) async -> (BenchLoad.Outcome, ScriptedStage) {
    let script = ScriptedStage(steps)
    return (await StageBench().load(LoadRequest("http://h/"), through: stages + [script]), script)
  }

  @Test func stagesWithNothingToDoAreAskedDownwardsAndSettleUpwards() async {
    let (outcome, _) = await load([stage("a"), stage("b"), stage("c")], .status(200, [], "x"))
    #expect(outcome.body == "x" && outcome.error == nil)
    #expect(record.all == ["a?", "b?", "c?", "c settles 200", "b settles 200", "a settles 200"])
  }

  @Test func stageThatHasSomethingToDoIsBetweenThoseAboveAndBelow() async {
    let (outcome, _) = await load([stage("a"), stage("b", .loads), stage("c")], .status(200, [], "x"))
    #expect(outcome.body == "x")
    #expect(record.all == ["a?", "b?", "b loads", "c?", "c settles 200", "b has loaded", "a settles 200"])
  }

  @Test func responseThatIsNotSettledIsAnsweredFromItsStageDown() async {
    let (outcome, script) = await load([stage("a"), stage("b", .asksAgain), stage("c")], .status(401), .status(200, [], "x"))
    #expect(outcome.response?.status == 200 && outcome.body == "x" && script.requests.count == 2)
    #expect(
      record.all == [
        "a?", "b?", "c?", "c settles 401", "b settles 401", "b settles 401", "b asks again", "c?", "c settles 200", "a settles 200",
      ])
  }

  @Test func errorIsShownToEachStageThatPassedTheRequest() async {
    let (outcome, _) = await load([stage("a"), stage("b"), stage("c")], .fail(LoadError(.timedOut, .head, "late")))
    #expect(outcome.error?.kind == .timedOut)
    #expect(record.all == ["a?", "b?", "c?", "c answers", "b answers", "a answers"])
  }

  @Test func errorThatAStageRecoversFromIsNoErrorAbove() async {
    let (outcome, script) = await load(
      [stage("a"), stage("b", .recovers), stage("c")], .fail(LoadError(.timedOut, .head, "late")), .status(200, [], "x"))
    #expect(outcome.error == nil && outcome.body == "x" && script.requests.count == 2)
    #expect(
      record.all == ["a?", "b?", "c?", "c answers", "b asks again", "c?", "c settles 200", "a settles 200"])
  }

  @Test func responseThatRedirectsIsGoneBeforeTheNextComes() async {
    final class Kept: @unchecked Sendable {
      // @unchecked: set once, before it is shared.
      weak var body: PieceBody?
      init(_ body: PieceBody) { self.body = body }
    }
    let kept = Mutex<Kept?>(nil)
    let wasGone = Mutex(false)
    let redirect = ScriptedStage.Answer(
      head: ResponseHead(status: 302, headers: HeaderFields([("Location", "/next")])),
      makeBody: {
        let body = PieceBody([])
        kept.withLock { $0 = Kept(body) }
        return body
      }, framing: .length(0))
    let script = ScriptedStage(
      .answer(redirect), .with({ _ in wasGone.withLock { $0 = kept.withLock { $0?.body == nil } } }, .status(200, [], "x")))
    let outcome = await StageBench().load(LoadRequest("http://h/"), through: [stage("a"), RedirectStage(), stage("b"), script])
    #expect(outcome.body == "x" && wasGone.withLock(\.self))
  }

  @Test func lastStageLoadsWhateverItSays() async {
    let (outcome, _) = await load([stage("a", .loads)], .status(204))
    #expect(outcome.response?.status == 204)
    let alone = await StageBench().load(LoadRequest("http://h/"), through: [stage("b")])
    #expect(alone.error?.kind == .unknown)
    #expect(record.all.contains("b loads") && !record.all.contains("b?"))
  }
}
