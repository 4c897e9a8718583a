import Foundation
import LoadingModel
import ProtocolRules
import Stores
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct CookieStageTests {
  private let bench = StageBench()
  private let store = CookieStore()

  private func settings(_ storage: CookieSettings.Storage? = nil, sending: CookieSettings.Sending = .stored) -> CookieSettings {
    CookieSettings(storage: storage ?? .store(store), sending: sending, acceptance: .always)
  }

  private func keep(_ fields: String...) async {
    guard let target = Target(URL(string: "http://a.test/")) else { return }
    let request = CookieRequest(url: CookieURL(target), method: "GET", mainDocument: nil, isNavigation: false, partition: nil)
    // The first cookie of a process waits for the list of public suffixes.
    await withCheckedContinuation { taken in store.receive(fields, for: request, acceptance: .always) { taken.resume() } }
  }

  private func sent(
    _ request: LoadRequest, _ settings: CookieSettings, _ client: RecordingClient = RecordingClient()
  ) async -> String? {
    let script = ScriptedStage(.status(200, [], "body"))
    let outcome = await bench.load(request, through: [CookieStage(settings: settings), script], client)
    #expect(outcome.body == "body")
    return script.last?.headers.first("Cookie")
  }

  @Test func requestWithoutStoredCookiesPassesAsItIs() async {
    await keep("id=1")
    #expect(await sent(LoadRequest("http://b.test/"), settings()) == nil)
    #expect(await sent(LoadRequest("http://b.test/", [("Cookie", "own=1")]), settings()) == "own=1")
  }

  @Test func storedCookiesAreAttachedInPlaceOfTheRequestsOwn() async {
    await keep("id=1", "lang=de")
    #expect(await sent(LoadRequest("http://a.test/"), settings()) == "id=1; lang=de")
    #expect(await sent(LoadRequest("http://a.test/", [("Cookie", "own=1")]), settings()) == "id=1; lang=de")
  }

  @Test func cookieThatAResponseSetReplacesAnOlderAttachedOne() async {
    var request = LoadRequest("http://a.test/")
    request.mutate { $0.attachedCookies = ["id=old", "sid=2"].map { AttachedCookie($0, stored: .distantPast) } }
    #expect(await sent(request, settings()) == "id=old; sid=2")
    await keep("id=1", "lang=de")
    #expect(await sent(request, settings()) == "id=1; lang=de; sid=2")
    request.mutate { $0.headers.set("Cookie", "own=1") }
    #expect(await sent(request, settings()) == "id=1; lang=de; sid=2")
    #expect(await sent(request, settings(sending: .appOnly)) == "own=1")
    request.mutate { $0.attachedCookies = [AttachedCookie("id=new", stored: .distantFuture)] }
    #expect(await sent(request, settings()) == "lang=de; id=new")
  }

  @Test func requestsAndSessionsThatWantNoneGetNone() async {
    await keep("id=1")
    var request = LoadRequest("http://a.test/")
    request.mutate { $0.shouldHandleCookies = false }
    #expect(await sent(request, settings()) == nil)
    #expect(await sent(LoadRequest("http://a.test/"), settings(sending: .appOnly)) == nil)
  }

  @Test func storageOfTheAppsOwnIsAskedThroughTheClient() async {
    let client = RecordingClient { $0.cookieField = { "app=1" } }
    #expect(await sent(LoadRequest("http://a.test/"), settings(.app), client) == "app=1")
    #expect(await sent(LoadRequest("http://a.test/"), settings(.app)) == nil)
  }

  @Test func loadThatIsCancelledWhileThatStorageIsAskedEnds() async throws {
    let gate = Gate()
    let (client, script) = (RecordingClient { $0.asking = gate }, ScriptedStage(.status(200)))
    let load = bench.begin(LoadRequest("http://a.test/"), through: [CookieStage(settings: settings(.app)), script], client)
    try await gate.reached()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(script.requests.isEmpty)
  }

  @Test func cookiesOnDiskAreReadBeforeTheLoadGoesOn() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cookies-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "cookies.sqlite")
    let target = try #require(Target(URL(string: "http://a.test/")))
    let request = CookieRequest(url: CookieURL(target), method: "GET", mainDocument: nil, isNavigation: false, partition: nil)
    let earlier = CookieStore(file: file)
    await withCheckedContinuation { done in
      earlier.receive(["id=7; Max-Age=3600"], for: request, acceptance: .always) { done.resume() }
    }
    #expect(await sent(LoadRequest("http://a.test/"), settings(.store(CookieStore(file: file)))) == "id=7")
    // A load that has ended doesn't wait for the disk.
    let script = ScriptedStage(.status(200))
    let stage = CookieStage(settings: settings(.store(CookieStore(file: file))))
    let ended = await bench.load(LoadRequest("http://a.test/"), through: [stage, script]) { $0.context.interrupt(.cancelled()) }
    #expect(ended.error?.kind == .cancelled)
    #expect(script.requests.isEmpty)
  }
}
