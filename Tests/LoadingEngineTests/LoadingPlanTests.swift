import LoadingModel
import ProtocolRules
import Stores
import Testing

@testable import LoadingEngine

@Suite struct LoadingPlanTests {
  private func names(_ stages: [any Stage]) -> [String] { stages.map { String(describing: type(of: $0)) } }

  private static func everything(_ settings: inout LoadSettings) {
    settings.transportSecurity = TransportSecurityPolicy()
    settings.cookies = CookieSettings(storage: .store(CookieStore()), sending: .stored, acceptance: .always)
    settings.hsts = HSTSStore()
    settings.cache = StoreAccess(ResponseCache(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil))
    settings.interceptor = { request, line throws(LoadError) in .received(try await line.send(request)) }
    settings.proxies.entries = [ProxySettings.Entry([.plain], .success(Proxy(.http, host: "192.0.2.9", port: 3128)))]
  }

  @Test func sessionThatUsesEverythingHasEveryStageInItsPlace() {
    let bench = StageBench(LoadingPlanTests.everything)
    let plan = bench.session.plan
    #expect(
      names(plan.session) == ["SniffingStage", "InterceptionStage", "RedirectStage", "HSTSUpgradeStage", "ProtocolStage"] + names(plan.http)
    )
    #expect(
      names(plan.http) == [
        "AppTransportSecurityStage", "UploadResumptionStage", "CookieStage", "DecodingStage", "CacheStage", "PolicyStage",
        "AuthenticationStage", "SetCookieStage", "HSTSRecordStage", "ProxyStage", "TunnelAnswerStage", "RetryStage", "ExchangeStage",
      ])
    #expect(
      names(plan.webSocket) == [
        "AppTransportSecurityStage", "CookieStage", "AuthenticationStage", "SetCookieStage", "HSTSRecordStage",
        "ProxyStage", "TunnelAnswerStage", "RetryStage", "ExchangeStage",
      ])
    #expect(names(plan.stream) == ["ProxyStage", "TunnelAnswerStage", "StreamStage"])
    #expect(names(plan.ftp) == ["ProxyStage", "TunnelAnswerStage", "FTPStage"])
  }

  @Test func stagesThatASessionHasNoUseForAreNotThere() {
    let plan = StageBench().session.plan
    #expect(names(plan.session) == ["SniffingStage", "RedirectStage", "ProtocolStage"] + names(plan.http))
    #expect(
      names(plan.http) == ["UploadResumptionStage", "DecodingStage", "PolicyStage", "AuthenticationStage", "RetryStage", "ExchangeStage"])
    #expect(names(plan.webSocket) == ["AuthenticationStage", "RetryStage", "ExchangeStage"])
    #expect(names(plan.stream) == ["StreamStage"])
    #expect(names(plan.ftp) == ["FTPStage"])
  }

  @Test func listWithoutALastStageFails() async {
    let bench = StageBench()
    let outcome = await bench.load(LoadRequest("http://a.test/"), through: [RetryStage(session: bench.session)])
    #expect(outcome.error?.kind == .unknown)
    #expect(outcome.error?.phase == .admission)
  }
}
