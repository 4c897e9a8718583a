import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores
import Testing

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct SetCookieStageTests {
  private let bench = StageBench()
  private let store = CookieStore()

  private func settings(
    _ storage: CookieSettings.Storage? = nil, sending: CookieSettings.Sending = .stored, acceptance: CookieAcceptPolicy = .always
  ) -> CookieSettings {
    CookieSettings(storage: storage ?? .store(store), sending: sending, acceptance: acceptance)
  }

  /// Sends a request again as long as it is answered with 401, as authentication does.
  private struct Again: Stage {
    func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
      while true {
        let loaded = try await next(request, context)
        if loaded.response.status != 401 { return loaded }
      }
    }
  }

  private func load(
    _ script: ScriptedStage, _ settings: CookieSettings, _ client: RecordingClient = RecordingClient(),
    _ request: LoadRequest = LoadRequest("http://a.test/")
  ) async -> BenchLoad.Outcome {
    await bench.load(request, through: [CookieStage(settings: settings), Again(), SetCookieStage(settings: settings), script], client)
  }

  private var stored: [String] { store.read { $0.all(now: $1).map(\.cookie.name) }.sorted() }

  @Test(arguments: [200, 302, 404]) func cookiesOfAnyResponseAreStored(_ status: Int) async {
    let outcome = await load(ScriptedStage(.status(status, [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")], "body")), settings())
    #expect(outcome.status == status)
    #expect(outcome.body == "body")
    #expect(stored == ["a", "b"])
  }

  @Test func cookiesThatNobodyWantsAreNotStored() async {
    let answer = ScriptedStage.Step.status(200, [("Set-Cookie", "a=1")])
    #expect(await load(ScriptedStage(answer), settings(acceptance: .never)).status == 200)
    var request = LoadRequest("http://a.test/")
    request.mutate { $0.shouldHandleCookies = false }
    #expect(await load(ScriptedStage(answer), settings(), RecordingClient(), request).status == 200)
    #expect(stored.isEmpty)
  }

  @Test func storageOfTheAppsOwnIsGivenTheFields() async {
    let client = RecordingClient()
    #expect(await load(ScriptedStage(.status(200, [("Set-Cookie", "a=1")])), settings(.app), client).status == 200)
    #expect(client.events == [.storedCookies(["a=1"])])
    #expect(stored.isEmpty)
  }

  @Test func requestThatIsRepeatedHasTheCookiesThatCameMeanwhile() async {
    let script = ScriptedStage(.status(401, [("Set-Cookie", "login=1")]), .status(200))
    #expect(await load(script, settings()).status == 200)
    #expect(script.requests.map { $0.headers.first("Cookie") } == [nil, "login=1"])
  }

  @Test func allFurtherAttemptsHaveTheCookiesThatCameMeanwhile() async {
    let script = ScriptedStage(.status(401, [("Set-Cookie", "login=1")]), .status(401), .status(401), .status(200))
    let request = LoadRequest("http://a.test/", [("Cookie", "own=1")])
    #expect(await load(script, settings(), RecordingClient(), request).status == 200)
    #expect(script.requests.map { $0.headers.first("Cookie") } == ["own=1", "login=1", "login=1", "login=1"])
  }

  @Test func cookieThatIsTakenBackGivesWayToTheRequestsOwn() async {
    let script = ScriptedStage(
      .status(401, [("Set-Cookie", "login=1")]), .status(401, [("Set-Cookie", "login=; Max-Age=0")]), .status(200))
    let request = LoadRequest("http://a.test/", [("Cookie", "own=1")])
    #expect(await load(script, settings(), RecordingClient(), request).status == 200)
    #expect(script.requests.map { $0.headers.first("Cookie") } == ["own=1", "login=1", "own=1"])
  }

  @Test func sessionThatSendsNoneOfItsOwnRepeatsTheRequestAsItIs() async {
    let script = ScriptedStage(.status(401, [("Set-Cookie", "login=1")]), .status(200))
    #expect(await load(script, settings(sending: .appOnly)).status == 200)
    #expect(script.requests.map { $0.headers.first("Cookie") } == [nil, nil])
    #expect(stored == ["login"])
  }

  @Test func interruptedLoadStoresNothingAndGivesTheBodyUp() async {
    let body = PieceBody("body")
    let answer = ScriptedStage.Step.status(200, [("Set-Cookie", "a=1")], body, framing: .length(4))
    let outcome = await load(ScriptedStage(.with({ $0.context.interrupt(.cancelled()) }, answer)), settings())
    #expect(outcome.error?.kind == .cancelled)
    #expect(body.isAbandoned)
    #expect(stored.isEmpty)
  }
}
