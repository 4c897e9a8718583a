import Foundation
import LoadingModel
import ProtocolRules
import Stores
import Testing

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct HSTSUpgradeStageTests {
  private let bench = StageBench()
  private let hosts = HSTSStore()

  init() {
    hosts.note(StrictTransportSecurity(maxAge: 3600, includesSubdomains: true), from: "a.test", now: bench.clock.date)
  }

  private func load(_ url: String, _ script: ScriptedStage, _ client: RecordingClient = RecordingClient()) async -> BenchLoad.Outcome {
    await bench.load(LoadRequest(url), through: [HSTSUpgradeStage(hosts: hosts), script], client)
  }

  @Test(arguments: ["http://b.test/", "https://a.test/", "https://b.test/", "data:,x"])
  func requestsThatNeedNoUpgradePass(_ url: String) async {
    let (client, script) = (RecordingClient(), ScriptedStage(.status(200)))
    #expect(await load(url, script, client).status == 200)
    #expect(script.last?.url?.absoluteString == url)
    #expect(client.events.isEmpty)
  }

  /// RFC 6797, 8.3: a port of 80 becomes 443.
  @Test(arguments: [("http://a.test/x?y", "https://a.test/x?y"), ("http://www.a.test:80/", "https://www.a.test:443/")])
  func knownHostIsReachedByTLS(_ url: String, _ upgraded: String) async {
    let (client, script) = (RecordingClient(), ScriptedStage(.status(200)))
    let outcome = await load(url, script, client)
    #expect(script.requests.map { $0.url?.absoluteString } == [upgraded])
    // A change of the request, not a redirect: one transaction.
    #expect(client.events == [.request(upgraded)])
    #expect(outcome.records.map { $0.request.url?.absoluteString } == [upgraded])
  }

  @Test func loadGoesOnAsIfItHadBegunThere() async {
    let origins = Mutex<[Bool]>([])
    let step = ScriptedStage.Step.with(
      { load in
        if let origin = Target(URL(string: "https://a.test/"))?.origin { origins.withLock { $0.append(load.origins.isAtFirst(origin)) } }
      }, .status(200))
    #expect(await load("http://a.test/", ScriptedStage(step)).status == 200)
    #expect(origins.withLock { $0 } == [true])
  }

  @Test func requirementEndsWithItsTime() async {
    bench.clock.advance(by: 3601)
    let script = ScriptedStage(.status(200))
    #expect(await load("http://a.test/", script).status == 200)
    #expect(script.last?.url?.scheme == "http")
  }

  @Test func hostsOfTheListNeedNotHaveAsked() async throws {
    let list = try SecureHostList(Data(".c.test\nd.test\n".utf8), now: bench.clock.date)
    for (url, scheme) in [
      ("http://c.test/", "https"), ("http://www.c.test/", "https"), ("http://d.test/", "https"), ("http://e.d.test/", "http"),
    ] {
      let script = ScriptedStage(.status(200))
      #expect(await bench.load(LoadRequest(url), through: [HSTSUpgradeStage(hosts: hosts, list: list), script]).status == 200)
      #expect(script.last?.url?.scheme == scheme, "\(url)")
    }
  }

  @Test func requirementOnDiskIsReadBeforeTheLoadGoesOn() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hsts-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "hsts.sqlite")
    let earlier = HSTSStore(file: file)
    earlier.note(StrictTransportSecurity(maxAge: 3600, includesSubdomains: false), from: "d.test", now: bench.clock.date)
    await earlier.flush()
    let stage = HSTSUpgradeStage(hosts: HSTSStore(file: file))
    let script = ScriptedStage(.status(200))
    #expect(await bench.load(LoadRequest("http://d.test/"), through: [stage, script]).status == 200)
    #expect(script.last?.url?.absoluteString == "https://d.test/")
    // A load that has ended doesn't wait for the disk.
    let unread = HSTSUpgradeStage(hosts: HSTSStore(file: folder.appending(path: "other.sqlite")))
    let below = ScriptedStage(.status(200))
    let ended = await bench.load(LoadRequest("http://d.test/"), through: [unread, below]) { $0.context.interrupt(.cancelled()) }
    #expect(ended.error?.kind == .cancelled)
    #expect(below.requests.isEmpty)
  }
}
