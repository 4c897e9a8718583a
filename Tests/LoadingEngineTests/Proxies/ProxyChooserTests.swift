import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct ProxyChooserTests {
  private let bench = StageBench()

  /// Asks for a load's routes, then lets it go on.
  private final class Choosing: Stage {
    let chooser: ProxyChooser
    let chosen = Mutex<[Route]>([])

    init(_ chooser: ProxyChooser) { self.chooser = chooser }

    func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
      guard let origin = request.target?.origin else { return try await next(request, context) }
      let routes = try await chooser.routes(to: origin, next.load)
      chosen.withLock { $0 += routes }
      return try await next(request, context)
    }
  }

  /// Settings that were read before the networks changed, and come afterwards, are those of the old network.
  @Test func settingsThatAreOldWhenTheyComeAreReadAnew() async throws {
    let proxies = ["old", "new"].map { Proxy(.http, host: "\($0).test", port: 8080) }
    let unread = Mutex(proxies)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let changed = DispatchSemaphore(value: 0)
    var settings = LoadSettings(tls: TLSSettings(minimumVersion: 0x0303, maximumVersion: 0x0304), userAgent: "bench")
    settings.proxies.desktop = DesktopProxies(.kioslaverc(folder: "/nowhere"))
    let chooser = ProxyChooser(settings, bench.session.executor) { _ in
      let proxy = unread.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      if proxy == proxies[0] {
        begin.yield()
        changed.wait()
      }
      var read = ProxySettings()
      if let proxy { read.entries = [ProxySettings.Entry([.plain], .success(proxy))] }
      return read
    }
    let choosing = Choosing(chooser)
    let stages: [any Stage] = [choosing, ScriptedStage(.status(200), .status(200))]
    let load = bench.begin(LoadRequest("http://a.test/"), through: stages)
    var beginnings = begun.makeAsyncIterator()
    await beginnings.next()
    try await bench.onLoop { chooser.networksChanged() }
    changed.signal()
    #expect(await load.outcome.status == 200)
    #expect(await bench.load(LoadRequest("http://a.test/"), through: stages).status == 200)
    #expect(choosing.chosen.withLock { $0 } == [.forward(proxies[1]), .forward(proxies[1])])
  }
}
