import LoadingModel
import ProtocolRules
import Testing

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct AppTransportSecurityStageTests {
  private let bench = StageBench()

  private func load(_ url: String, _ policy: TransportSecurityPolicy, _ script: ScriptedStage) async -> BenchLoad.Outcome {
    await bench.load(LoadRequest(url), through: [AppTransportSecurityStage(policy: policy), script])
  }

  @Test func cleartextToAPublicHostIsRefusedBeforeItIsSent() async {
    let script = ScriptedStage(.status(200))
    let outcome = await load("http://www.example.com/", TransportSecurityPolicy(), script)
    #expect(outcome.error?.kind == .appTransportSecurityRequiresSecureConnection)
    #expect(outcome.error?.message.contains("NSAppTransportSecurity") == true)
    #expect(script.requests.isEmpty)
  }

  /// Those App Transport Security doesn't protect, and those that need no protection.
  @Test(arguments: ["https://www.example.com/", "http://printer/", "http://printer.local/", "http://192.168.1.1/", "data:,x"])
  func otherRequestsPassUnchanged(_ url: String) async {
    let script = ScriptedStage(.status(200, [], "hello"))
    let outcome = await load(url, TransportSecurityPolicy(), script)
    #expect(outcome.body == "hello")
    #expect(script.requests.map { $0.url?.absoluteString } == [url])
  }

  @Test func cleartextThatTheSettingsAllowPasses() async {
    var policy = TransportSecurityPolicy()
    var exception = TransportSecurityPolicy.ExceptionDomain()
    exception.allowsInsecureHTTPLoads = true
    policy.add(exception, for: "www.example.com")
    #expect(await load("http://www.example.com/", policy, ScriptedStage(.status(200))).status == 200)
    var lifted = TransportSecurityPolicy()
    lifted.allowsArbitraryLoads = true
    #expect(await load("http://www.example.org/", lifted, ScriptedStage(.status(200))).status == 200)
  }

  @Test func failedHandshakeNamesTheSettingThatMayHaveFailedIt() async {
    let failure = LoadError(.secureConnectionFailed, .secure, "the handshake failed")
    let protected = await load("https://www.example.com/", TransportSecurityPolicy(), ScriptedStage(.fail(failure)))
    #expect(protected.error?.kind == .secureConnectionFailed)
    #expect(protected.error?.message.hasPrefix("the handshake failed; ") == true)
    #expect(protected.error?.message.contains("NSExceptionMinimumTLSVersion") == true)
    // Nothing was asked of a host on the local network.
    let local = await load("https://printer.local/", TransportSecurityPolicy(), ScriptedStage(.fail(failure)))
    #expect(local.error?.message == "the handshake failed")
  }

  @Test(arguments: [
    LoadError(.secureConnectionFailed, .body, "cut off"), LoadError(.serverCertificateUntrusted, .secure, "unknown root"), .cancelled(),
  ])
  func otherErrorsPassUnchanged(_ error: LoadError) async {
    let outcome = await load("https://www.example.com/", TransportSecurityPolicy(), ScriptedStage(.fail(error)))
    #expect(outcome.error?.kind == error.kind)
    #expect(outcome.error?.message == error.message)
  }
}
