import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct ProxyStageTests {
  private static let first = Proxy(.http, host: "192.0.2.1", port: 3128)
  private static let second = Proxy(.http, host: "192.0.2.2", port: 3128)

  private static func bench(_ proxies: Proxy..., allowsFailover: Bool = true, excluding: [HostPattern] = []) -> StageBench {
    StageBench {
      $0.proxies.entries = proxies.map { proxy in
        var entry = ProxySettings.Entry(Set(ProxySettings.Family.allCases), .success(proxy))
        entry.allowsFailover = allowsFailover
        return entry
      }
      $0.proxies.exceptions.patterns = excluding
    }
  }

  /// Notes the route of each request, and what it shows to a proxy.
  private final class Ways: Sendable {
    let seen = Mutex<[Route]>([])
    let shown = Mutex<[String?]>([])

    func note(_ step: ScriptedStage.Step) -> ScriptedStage.Step {
      .with(
        { [self] load in
          seen.withLock { $0.append(load.context.terms.route) }
          shown.withLock { $0.append(load.context.terms.routeAttempt?.authorize?(nil)) }
        }, step)
    }

    var routes: [Route] { seen.withLock { $0 } }
    var authorizations: [String?] { shown.withLock { $0 } }
  }

  private func load(
    _ bench: StageBench, _ script: ScriptedStage, _ client: RecordingClient = RecordingClient(), _ url: String = "http://a.test/"
  ) async -> BenchLoad.Outcome {
    await bench.load(LoadRequest(url), through: [ProxyStage(session: bench.session), script], client)
  }

  private static func unreachable(isAway: Bool = false) -> LoadError {
    var error = LoadError(.cannotConnectToHost, .connect, "no proxy there")
    error.proxy = ProxyFault(.httpUnreachable, isUnreachable: true, isAway: isAway)
    return error
  }

  private static let asks = ScriptedStage.Step.status(407, [("Proxy-Authenticate", "Basic realm=\"p\"")], "who are you?")

  @Test func cleartextIsForwardedAndTLSTunnelled() async {
    let (bench, ways) = (ProxyStageTests.bench(ProxyStageTests.first), Ways())
    let script = ScriptedStage(ways.note(.status(200, [], "body")), ways.note(.status(200)))
    #expect(await load(bench, script).body == "body")
    #expect(await load(bench, script, RecordingClient(), "https://a.test/").status == 200)
    #expect(ways.routes == [.forward(ProxyStageTests.first), .tunnel(ProxyStageTests.first)])
  }

  @Test func excludedHostsGoDirectly() async {
    let pattern = HostPattern(domain: "a.test")
    let (bench, ways) = (ProxyStageTests.bench(ProxyStageTests.first, excluding: [pattern]), Ways())
    #expect(await load(bench, ScriptedStage(ways.note(.status(200)))).status == 200)
    #expect(ways.routes == [.direct])
  }

  @Test func requestWithoutAnOriginPasses() async {
    let (bench, ways) = (ProxyStageTests.bench(ProxyStageTests.first), Ways())
    #expect(await load(bench, ScriptedStage(ways.note(.status(200))), RecordingClient(), "data:,x").status == 200)
    #expect(ways.routes == [.direct])
  }

  @Test func proxyThatCannotBeReachedIsPutOff() async {
    let (bench, ways) = (ProxyStageTests.bench(ProxyStageTests.first, ProxyStageTests.second), Ways())
    let script = ScriptedStage(ways.note(.fail(ProxyStageTests.unreachable())), ways.note(.status(200)), ways.note(.status(200)))
    let outcome = await load(bench, script)
    #expect(outcome.status == 200)
    #expect(outcome.records.count == 2)
    #expect(await load(bench, script).status == 200)
    #expect(ways.routes == [.forward(ProxyStageTests.first), .forward(ProxyStageTests.second), .forward(ProxyStageTests.second)])
  }

  @Test func lastResortIsTheDirectWay() async {
    let (bench, ways) = (ProxyStageTests.bench(ProxyStageTests.first), Ways())
    let script = ScriptedStage(ways.note(.fail(ProxyStageTests.unreachable())), ways.note(.status(200)))
    #expect(await load(bench, script).status == 200)
    #expect(ways.routes == [.forward(ProxyStageTests.first), .direct])
  }

  @Test func proxyWithoutFailoverIsTheOnlyWay() async {
    let bench = ProxyStageTests.bench(ProxyStageTests.first, allowsFailover: false)
    let script = ScriptedStage(.fail(ProxyStageTests.unreachable()), .status(200))
    #expect(await load(bench, script).error?.proxy?.isUnreachable == true)
    #expect(script.requests.count == 1)
  }

  @Test func errorsOfTheOriginTryNoOtherWay() async {
    let bench = ProxyStageTests.bench(ProxyStageTests.first, ProxyStageTests.second)
    let script = ScriptedStage(.fail(LoadError(.networkConnectionLost, .head, "lost")), .status(200))
    #expect(await load(bench, script).error?.kind == .networkConnectionLost)
    #expect(script.requests.count == 1)
  }

  @Test func settingThatCannotBeUnderstoodFailsTheLoad() async {
    let bench = StageBench { $0.proxies.entries = [.init([.plain], .failure(LoadError(.cannotConnectToHost, .connect, "no port")))] }
    let script = ScriptedStage(.status(200))
    #expect(await load(bench, script).error?.message == "no port")
    #expect(script.requests.isEmpty)
  }

  @Test func proxysQuestionIsAnsweredAndTheAnswerRemembered() async {
    let (bench, ways) = (ProxyStageTests.bench(ProxyStageTests.first), Ways())
    let client = RecordingClient { $0.challenge = { $0.space.peer == .proxy ? .use(.login("user", "pw")) : .cancel } }
    let script = ScriptedStage(ways.note(ProxyStageTests.asks), ways.note(.status(200)), ways.note(.status(200)))
    #expect(await load(bench, script, client).status == 200)
    #expect(await load(bench, script, client).status == 200)
    #expect(ways.authorizations == [nil, "Basic dXNlcjpwdw==", "Basic dXNlcjpwdw=="])
    #expect(client.challengeCount == 1)
    // It is the proxy's alone.
    #expect(script.requests.allSatisfy { !$0.headers.contains("Authorization") && !$0.headers.contains("Proxy-Authorization") })
  }

  /// Otherwise the app would be asked twice, and the body sent once more.
  @Test(arguments: ["Basic realm=\"p\"", "Digest realm=\"p\", nonce=\"n\", qop=\"auth\""])
  func loginThatIsNotKeptHoldsForItsLoadAlone(_ challenge: String) async {
    let (bench, ways) = (ProxyStageTests.bench(ProxyStageTests.first), Ways())
    let client = RecordingClient { $0.challenge = { _ in .use(.login("user", "pw", .none)) } }
    let asks = ways.note(.status(407, [("Proxy-Authenticate", challenge)]))
    let script = ScriptedStage(
      asks, ways.note(.status(401, [("WWW-Authenticate", "Basic realm=\"s\"")])), ways.note(.status(200)), asks, ways.note(.status(200)))
    let stages: [any Stage] = [AuthenticationStage(session: bench.session), ProxyStage(session: bench.session), script]
    #expect(await bench.load(LoadRequest("http://a.test/"), through: stages, client).status == 200)
    #expect(script.requests.count == 3)
    #expect(client.challengeCount == 2)
    let shown = ways.authorizations
    #expect(shown.first == .some(nil))
    #expect(shown.dropFirst().allSatisfy { $0?.hasPrefix(String(challenge.prefix(5))) == true })
    if challenge.hasPrefix("Digest") { #expect(shown.compactMap { $0 }.last?.contains("nc=00000002") == true) }
    let next = RecordingClient { $0.challenge = { _ in .use(.login("user", "pw", .none)) } }
    #expect(await load(bench, script, next).status == 200)
    #expect(next.challengeCount == 1)
    #expect(ways.authorizations[3] == nil)
  }

  @Test func proxyThatRefusesALoadsOwnLoginIsAnsweredAnew() async {
    let (bench, ways) = (ProxyStageTests.bench(ProxyStageTests.first), Ways())
    let client = RecordingClient {
      $0.challenge = { .use(.login($0.space.peer == .proxy ? "user\($0.previousFailureCount)" : "server", "pw", .none)) }
    }
    let script = ScriptedStage(
      ways.note(ProxyStageTests.asks), ways.note(.status(401, [("WWW-Authenticate", "Basic realm=\"s\"")])),
      ways.note(ProxyStageTests.asks), ways.note(.status(200)))
    let stages: [any Stage] = [AuthenticationStage(session: bench.session), ProxyStage(session: bench.session), script]
    #expect(await bench.load(LoadRequest("http://a.test/"), through: stages, client).status == 200)
    #expect(client.challengeCount == 3)
    #expect(Set(ways.authorizations).count == 3)
  }

  @Test func loginOfTheSettingsNeedsNoApp() async {
    let proxy = Proxy(.http, host: "192.0.2.1", port: 3128, login: Proxy.Login(user: "user", password: "pw"))
    let (bench, ways) = (ProxyStageTests.bench(proxy), Ways())
    let script = ScriptedStage(ways.note(ProxyStageTests.asks), ways.note(.status(200)))
    #expect(await load(bench, script).status == 200)
    #expect(ways.authorizations == [nil, "Basic dXNlcjpwdw=="])
  }

  /// RFC 9110, 9.3.6: what comes through a tunnel is the origin's.
  @Test func originBehindATunnelCannotAskInTheProxysName() async {
    let bench = ProxyStageTests.bench(ProxyStageTests.first)
    let client = RecordingClient { $0.challenge = { _ in .use(.login("user", "pw")) } }
    let outcome = await load(bench, ScriptedStage(ProxyStageTests.asks), client, "https://a.test/")
    #expect(outcome.body == "who are you?")
    #expect(client.events.isEmpty)
  }

  @Test func proxyThatIsRestartedIsWaitedFor() async throws {
    let (bench, ways) = (ProxyStageTests.bench(ProxyStageTests.first, allowsFailover: false), Ways())
    let script = ScriptedStage(
      ways.note(.status(200)), ways.note(.fail(ProxyStageTests.unreachable(isAway: true))), ways.note(.status(200, [], "back")))
    #expect(await load(bench, script).status == 200)
    let waiting = bench.begin(LoadRequest("http://a.test/"), through: [ProxyStage(session: bench.session), script])
    try await bench.clock.waitForWake(within: UnreachableProxies.pauses[0])
    bench.clock.advance(by: UnreachableProxies.pauses[0])
    #expect(await waiting.outcome.body == "back")
  }

  @Test func loadThatIsCancelledWhileItWaitsForAProxyEnds() async throws {
    let bench = ProxyStageTests.bench(ProxyStageTests.first, allowsFailover: false)
    let script = ScriptedStage(.status(200), .fail(ProxyStageTests.unreachable(isAway: true)), .status(200))
    #expect(await load(bench, script).status == 200)
    let waiting = bench.begin(LoadRequest("http://a.test/"), through: [ProxyStage(session: bench.session), script])
    try await bench.clock.waitForWake(within: UnreachableProxies.pauses[0])
    waiting.cancel()
    #expect(await waiting.outcome.error?.kind == .cancelled)
    #expect(script.requests.count == 2)
  }
}
