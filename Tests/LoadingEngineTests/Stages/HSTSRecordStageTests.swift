import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores
import Testing

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct HSTSRecordStageTests {
  private let bench = StageBench()
  private let hosts = HSTSStore()

  /// Changes the transaction of a response on its way up.
  private struct Changing: Stage {
    let change: @Sendable (inout TransactionRecord) -> Void

    func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
      let loaded = try await next(request, context)
      change(&context.record)
      return loaded
    }
  }

  /// Whether the host is known after a response that asks for TLS.
  private func isNoted(
    _ url: String, _ status: Int = 200, value: String = "max-age=60",
    _ change: @escaping @Sendable (inout TransactionRecord) -> Void = { _ in }
  ) async -> Bool {
    let script = ScriptedStage(.status(status, [("Strict-Transport-Security", value)], "body"))
    let stages: [any Stage] = [HSTSRecordStage(hosts: hosts), Changing(change: change), script]
    let outcome = await bench.load(LoadRequest(url), through: stages)
    #expect(outcome.status == status)
    #expect(outcome.body == "body")
    return hosts.isKnownToRequireTLS("a.test", now: bench.clock.date)
  }

  @Test(arguments: [200, 304, 401, 503]) func hostThatAsksForTLSIsNotedWhateverTheStatus(_ status: Int) async {
    #expect(await isNoted("https://a.test/", status))
  }

  /// RFC 6797, 8.1: over a secure transport without errors, and from the network.
  @Test func otherResponsesAreNotNoted() async {
    #expect(await !isNoted("http://a.test/"))
    #expect(await !isNoted("https://a.test/", value: "nonsense"))
    #expect(await !isNoted("https://a.test/") { $0.fetchType = .localCache })
    #expect(
      await !isNoted("https://a.test/") {
        $0.connection = ConnectionFacts(
          localAddress: nil, localPort: nil, remoteAddress: nil, remotePort: nil, tlsVersion: 0x0304, tlsCipherSuite: nil,
          isTLSResumed: false, isTrustOverridden: true)
      })
  }

  @Test func hostThatTakesItBackIsForgotten() async {
    #expect(await isNoted("https://a.test/"))
    #expect(await !isNoted("https://a.test/", value: "max-age=0"))
  }

  @Test func errorsPass() async {
    let stages: [any Stage] = [HSTSRecordStage(hosts: hosts), ScriptedStage(.fail(.cancelled()))]
    #expect(await bench.load(LoadRequest("https://a.test/"), through: stages).error?.kind == .cancelled)
  }
}
