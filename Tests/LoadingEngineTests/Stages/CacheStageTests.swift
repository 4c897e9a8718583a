import Foundation
import LoadingModel
import ProtocolRules
import Stores
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct CacheStageTests {
  private let bench: StageBench
  private let store: ResponseCache

  init() {
    let bench = StageBench()
    self.bench = bench
    store = ResponseCache(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil) { [clock = bench.clock] in clock.date }
  }

  private func stage(_ store: (any ResponseStore)? = nil) -> CacheStage {
    CacheStage(session: bench.session, cache: StoreAccess(store ?? self.store))
  }

  private func load(
    _ script: ScriptedStage, _ client: RecordingClient = RecordingClient(), _ change: (inout LoadRequest.Fields) -> Void = { _ in }
  ) async -> BenchLoad.Outcome {
    var request = LoadRequest("http://192.0.2.1/x")
    request.mutate(change)
    return await bench.load(request, through: [stage(), script], client)
  }

  private static func fresh(_ body: String, _ fields: [HeaderFields.Entry] = []) -> ScriptedStage.Step {
    .status(200, [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")] + fields, body)
  }

  /// A response that is stored, and by now `seconds` old.
  private func keep(_ answer: ScriptedStage.Step = fresh("kept"), age seconds: Double = 0) async {
    #expect(await load(ScriptedStage(answer)).status == 200)
    bench.clock.advance(by: seconds)
  }

  @Test func loadWithoutACachePasses() async {
    let none = StoreAccess(nil)
    for body in ["one", "two"] {
      let stages: [any Stage] = [CacheStage(session: bench.session, cache: none), ScriptedStage(CacheStageTests.fresh(body))]
      #expect(await bench.load(LoadRequest("http://192.0.2.1/x"), through: stages).body == body)
    }
  }

  @Test func freshResponseAnswersInPlaceOfTheNetwork() async {
    await keep(age: 10)
    let script = ScriptedStage()
    let outcome = await load(script)
    #expect(outcome.body == "kept")
    #expect(outcome.field("Age") == "10")
    #expect(outcome.records.map(\.fetchType) == [.localCache])
    #expect(script.requests.isEmpty)
  }

  @Test(arguments: ["no-store", "max-age=0"]) func responseThatMayNotBeUsedIsFetchedAnew(_ control: String) async {
    await keep(.status(200, [("Cache-Control", control)], "first"))
    #expect(await load(ScriptedStage(.status(200, [], "second"))).body == "second")
  }

  @Test func staleResponseThatTheServerConfirmsIsUsed() async {
    await keep(age: 100)
    let script = ScriptedStage(.status(304, [("Cache-Control", "max-age=60")]))
    let outcome = await load(script)
    #expect(outcome.status == 200)
    #expect(outcome.body == "kept")
    #expect(script.last?.headers.first("If-None-Match") == "\"1\"")
    #expect(outcome.records.map(\.fetchType) == [.networkLoad, .localCache])
    // It is fresh again.
    #expect(await load(ScriptedStage()).body == "kept")
  }

  /// Otherwise the old body would have the new tag, by which the server would confirm it for ever.
  @Test(arguments: [[], [("Range", "bytes=0-1")]] as [[HeaderFields.Entry]])
  func notModifiedWithTheTagOfAnotherVersionMeansALoadAnew(_ fields: [HeaderFields.Entry]) async {
    await keep(age: 100)
    let script = ScriptedStage(
      .status(304, [("ETag", "\"2\""), ("Cache-Control", "max-age=60")]),
      .status(200, [("ETag", "\"2\""), ("Cache-Control", "max-age=60")], "new"))
    let outcome = await load(script) { $0.headers = HeaderFields(fields) }
    #expect(outcome.body == "new")
    #expect(outcome.field("ETag") == "\"2\"")
    #expect(outcome.records.map(\.fetchType) == [.networkLoad, .networkLoad])
    #expect(script.requests.map { $0.headers.first("If-None-Match") } == ["\"1\"", nil])
    #expect(script.last?.headers.first("Range") == fields.first?.value)
    // What is stored is the new body.
    #expect(await load(ScriptedStage()) { $0.cachePolicy = 3 }.body == "new")
  }

  @Test func outdatedResponseIsGoneWhereTheLoadAnewFails() async {
    await keep(CacheStageTests.fresh("kept", [("Cache-Control", "stale-if-error=1000")]), age: 100)
    let script = ScriptedStage(.status(304, [("ETag", "\"2\"")]), .fail(LoadError(.cannotConnectToHost, .connect, "away")))
    #expect(await load(script).error?.kind == .cannotConnectToHost)
    #expect(await load(ScriptedStage()) { $0.cachePolicy = 3 }.error?.kind == .resourceUnavailable)
  }

  @Test func staleResponseThatTheServerReplacesIsReplaced() async {
    await keep(age: 100)
    #expect(await load(ScriptedStage(CacheStageTests.fresh("new"))).body == "new")
    #expect(await load(ScriptedStage()).body == "new")
  }

  @Test func staleResponseMayStandInForAFailure() async {
    await keep(CacheStageTests.fresh("kept", [("Cache-Control", "stale-if-error=1000")]), age: 100)
    #expect(await load(ScriptedStage(.fail(LoadError(.cannotConnectToHost, .connect, "away")))).body == "kept")
    let broken = PieceBody("broken")
    #expect(await load(ScriptedStage(.status(503, [], broken, framing: .length(6)))).body == "kept")
    #expect(broken.isAbandoned)
    #expect(await load(ScriptedStage(.fail(LoadError(.serverCertificateUntrusted, .secure, "who?")))).error != nil)
  }

  @Test func staleResponseIsUsedWhileItIsValidatedBesideTheLoad() async throws {
    await keep(CacheStageTests.fresh("kept", [("Cache-Control", "stale-while-revalidate=1000")]), age: 100)
    #expect(await load(ScriptedStage()).body == "kept")
    #expect(try await bench.network.peer().receive().hasPrefix("GET /x HTTP/1.1\r\n"))
  }

  /// The session's credentials are meant for the origin that the load began at.
  @Test(arguments: ["192.0.2.1", "192.0.2.2"])
  func validationBesideALoadHasTheSessionsCredentialsWhereTheLoadHasThem(_ first: String) async throws {
    let bench = StageBench { $0.additionalHeaders = HeaderFields([("Authorization", "Bearer x"), ("Cookie", "a=b"), ("X-App", "y")]) }
    let store = ResponseCache(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil) { [clock = bench.clock] in clock.date }
    let script = ScriptedStage(CacheStageTests.fresh("kept", [("Cache-Control", "stale-while-revalidate=1000")]))
    let stages: [any Stage] = [CacheStage(session: bench.session, cache: StoreAccess(store)), script]
    let start = LoadRequest("http://\(first)/").target?.origin
    #expect(await bench.load(LoadRequest("http://192.0.2.1/x"), through: stages) { $0.origins = OriginTrail(start) }.body == "kept")
    bench.clock.advance(by: 100)
    #expect(await bench.load(LoadRequest("http://192.0.2.1/x"), through: stages) { $0.origins = OriginTrail(start) }.body == "kept")
    let sent = try await bench.network.peer().receive()
    #expect(sent.hasPrefix("GET /x HTTP/1.1\r\n"))
    #expect(sent.contains("X-App: y\r\n"))
    #expect(sent.contains("Authorization:") == (first == "192.0.2.1"))
    #expect(sent.contains("Cookie:") == (first == "192.0.2.1"))
  }

  @Test func requestsOwnPolicyStandsAboveTheRules() async {
    #expect(await load(ScriptedStage()) { $0.cachePolicy = 3 }.error?.kind == .resourceUnavailable)
    await keep(age: 100)
    #expect(await load(ScriptedStage()) { $0.cachePolicy = 3 }.body == "kept")
    #expect(await load(ScriptedStage()) { $0.cachePolicy = 2 }.body == "kept")
    #expect(await load(ScriptedStage()) { $0.headers = HeaderFields([("Cache-Control", "only-if-cached, max-stale")]) }.body == "kept")
    #expect(await load(ScriptedStage()) { $0.headers = HeaderFields([("Cache-Control", "only-if-cached")]) }.status == 504)
    let around = ScriptedStage(.status(200, [("Cache-Control", "no-store")], "other"))
    #expect(await load(around) { $0.cachePolicy = 4 }.body == "other")
    #expect(around.last?.headers.first("Cache-Control") == "no-cache")
  }

  @Test func reloadLeavesTheStoreOutAndBringsItUpToDate() async {
    await keep()
    let script = ScriptedStage(CacheStageTests.fresh("new"))
    let reloaded = await load(script) { $0.cachePolicy = 1 }
    #expect(reloaded.body == "new" && reloaded.records.map(\.fetchType) == [.networkLoad])
    #expect(script.last?.headers.isEmpty == true)
    #expect(await load(ScriptedStage()).body == "new")
    #expect(await load(ScriptedStage(.status(404, [("Cache-Control", "no-store")]))) { $0.cachePolicy = 1 }.status == 404)
    #expect(await load(ScriptedStage()) { $0.cachePolicy = 3 }.error?.kind == .resourceUnavailable)
  }

  /// They answer fields that other requests for the URL don't have.
  @Test(arguments: [
    (416, "Range", "bytes=90-"), (412, "If-Match", "\"2\""), (412, "If-Unmodified-Since", "Sat, 05 Nov 1994 08:49:37 GMT"),
    (304, "If-None-Match", "\"1\""),
  ])
  func answerToARangeOrAConditionIsNotStored(_ status: Int, _ name: String, _ value: String) async {
    await keep(age: 100)
    let script = ScriptedStage(.status(status, [("Cache-Control", "max-age=600")]))
    let outcome = await load(script) {
      $0.headers = HeaderFields([(name, value)])
      $0.cachePolicy = 1
    }
    #expect(outcome.status == status)
    #expect(await load(ScriptedStage()) { $0.cachePolicy = 3 }.body == "kept")
  }

  @Test func conditionsOfTheAppsOwnPassTheCache() async {
    await keep()
    let script = ScriptedStage(.status(304))
    #expect(await load(script) { $0.headers = HeaderFields([("If-None-Match", "\"own\"")]) }.status == 304)
    #expect(script.last?.headers.first("If-None-Match") == "\"own\"")
  }

  @Test func unsafeMethodOutdatesWhatIsStored() async {
    await keep()
    #expect(await load(ScriptedStage(.status(204))) { $0.method = "DELETE" }.status == 204)
    #expect(await load(ScriptedStage(.status(404))).status == 404)
  }

  /// It may show what was before, or what is now.
  @Test func responseUnderWayWhenAnUnsafeMethodOutdatesItIsNotStored() async throws {
    let gate = Gate()
    let body = PieceBody([.bytes("ha"), .held(gate), .bytes("lf")])
    let script = ScriptedStage(.status(200, [("Cache-Control", "max-age=60")], body, framing: .length(4)))
    let slow = bench.begin(LoadRequest("http://192.0.2.1/x"), through: [stage(), script])
    try await gate.reached()
    #expect(await load(ScriptedStage(.status(204))) { $0.method = "DELETE" }.status == 204)
    gate.open()
    #expect(await slow.outcome.body == "half")
    #expect(await load(ScriptedStage(.status(404))).status == 404)
  }

  @Test func bodyThatBreaksOffIsNotStored() async {
    let broken = PieceBody([.bytes("ha"), .fail(LoadError(.networkConnectionLost, .body, "lost"))])
    let answer = ScriptedStage.Step.status(200, [("Cache-Control", "max-age=60")], broken, framing: .length(4))
    #expect(await load(ScriptedStage(answer)).error?.kind == .networkConnectionLost)
    #expect(await load(ScriptedStage(.status(200, [], "again"))).body == "again")
  }

  private static func overTrustOfTheApps(_ step: ScriptedStage.Step) -> ScriptedStage.Step {
    .with(
      {
        $0.context.record.connection = ConnectionFacts(
          localAddress: nil, localPort: nil, remoteAddress: nil, remotePort: nil, tlsVersion: 0x0304, tlsCipherSuite: nil,
          isTLSResumed: false, isTrustOverridden: true)
      }, step)
  }

  /// Other sessions with the same cache wouldn't have accepted the server.
  @Test func responseOfAServerAcceptedAgainstTheEvaluationIsNotStored() async {
    #expect(await load(ScriptedStage(CacheStageTests.overTrustOfTheApps(CacheStageTests.fresh("own")))).body == "own")
    #expect(await load(ScriptedStage(CacheStageTests.fresh("good"))).body == "good")
    #expect(await load(ScriptedStage()).body == "good")
    bench.clock.advance(by: 100)
    // Neither in place of what is there, which isn't outdated by it.
    #expect(await load(ScriptedStage(CacheStageTests.overTrustOfTheApps(CacheStageTests.fresh("own")))).body == "own")
    #expect(await load(ScriptedStage()) { $0.cachePolicy = 3 }.body == "good")
  }

  @Test(arguments: ["GET", "HEAD"])
  func serverAcceptedAgainstTheEvaluationConfirmsNothing(_ method: String) async {
    await keep(age: 100)
    let status = method == "GET" ? 304 : 200
    let answer = ScriptedStage.Step.status(status, [("Cache-Control", "max-age=600"), ("ETag", "\"1\"")])
    let outcome = await load(ScriptedStage(CacheStageTests.overTrustOfTheApps(answer))) { $0.method = method }
    #expect(outcome.status == 200)
    // The load itself trusts the server.
    #expect(method == "HEAD" || outcome.body == "kept")
    let next = ScriptedStage(.status(304))
    #expect(await load(next).body == "kept")
    #expect(next.last?.headers.first("If-None-Match") == "\"1\"")
  }

  /// Neither does such a server outdate what is stored by a tag of its own.
  @Test func serverAcceptedAgainstTheEvaluationRemovesNothingByATagOfItsOwn() async {
    await keep(age: 100)
    let script = ScriptedStage(
      CacheStageTests.overTrustOfTheApps(.status(304, [("ETag", "\"2\"")])), CacheStageTests.overTrustOfTheApps(.status(200, [], "own")))
    #expect(await load(script).body == "own")
    #expect(await load(ScriptedStage()) { $0.cachePolicy = 3 }.body == "kept")
  }

  @Test func appHasASayInWhatIsStored() async {
    let refusing = RecordingClient { $0.review = { _ in nil } }
    #expect(await load(ScriptedStage(CacheStageTests.fresh("one")), refusing).body == "one")
    let changing = RecordingClient {
      $0.review = { proposal in
        var changed = proposal
        changed.body = Data("changed".utf8)
        return changed
      }
    }
    #expect(await load(ScriptedStage(CacheStageTests.fresh("two")), changing).body == "two")
    #expect(await load(ScriptedStage()).body == "changed")
  }

  /// The app may allow memory alone, or nothing.
  @Test(arguments: [0, 1, 2]) func bodyIsNotOnTheDiskBeforeTheAppHasAnswered(_ policy: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "review-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    @Sendable func files() -> [String] {
      let bodies = folder.appending(path: "bodies").path(percentEncoded: false)
      let paths = FileManager.default.enumerator(atPath: bodies)?.compactMap { $0 as? String } ?? []
      return paths.filter { path in
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: bodies + "/" + path, isDirectory: &isFolder) && !isFolder.boolValue
      }
    }
    let store = ResponseCache(memoryCapacity: 8 << 20, diskCapacity: 64 << 20, directory: folder) { [clock = bench.clock] in clock.date }
    // The folder is made.
    let now = bench.clock.date
    let head = ResponseHead(status: 200, headers: HeaderFields())
    let other = StoredResponse(url: "http://192.0.2.1/other", head: head, requestTime: now, responseTime: now)
    store.store(other, body: Data("other".utf8))
    store.flushNow()
    let filesWhenAsked = Mutex<[String]?>(nil)
    let client = RecordingClient {
      $0.review = { proposal in
        filesWhenAsked.withLock { $0 = files() }
        var answer = proposal
        answer.storagePolicy = policy
        return answer
      }
    }
    let pieces = (0..<5).map { PieceBody.Piece.data(Data(repeating: UInt8(ascii: "a") + $0, count: 100_000)) }
    let script = ScriptedStage(.status(200, [("Cache-Control", "max-age=60")], PieceBody(pieces), framing: .length(500_000)))
    #expect(await bench.load(LoadRequest("http://192.0.2.1/x"), through: [stage(store), script], client).body.utf8.count == 500_000)
    #expect(filesWhenAsked.withLock { $0 } == [])
    store.flushNow()
    #expect(files().count == (policy == 0 ? 1 : 0))
    let found = store.candidatesNow(for: "http://192.0.2.1/x")
    #expect(found.map(\.bodyLength) == (policy == 2 ? [] : [500_000]))
    if let stored = found.first { #expect(store.bodyNow(stored)?.count == 500_000) }
  }

  @Test func loadThatIsCancelledWhileItWaitsForTheDiskEnds() async throws {
    let gate = Gate()
    let script = ScriptedStage(.status(200))
    let load = bench.begin(LoadRequest("http://192.0.2.1/x"), through: [stage(HeldStore(gate)), script])
    try await gate.reached()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(script.requests.isEmpty)
    gate.open()
  }

  /// Otherwise its connection would be held for as long as the server likes.
  @Test func responseIsGivenUpWhereTheDiskIsWaitedForInVain() async throws {
    let gate = Gate()
    let body = PieceBody("body")
    let script = ScriptedStage(.status(200, [("Cache-Control", "no-store")], body, framing: .length(4)))
    var request = LoadRequest("http://192.0.2.1/x")
    request.mutate { $0.cachePolicy = 1 }
    // What is stored must go: the disk is asked for it.
    let load = bench.begin(request, through: [stage(HeldStore(gate)), script])
    try await gate.reached()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(body.isAbandoned)
    gate.open()
  }

  @Test func failureIsGivenUpWhereItsSubstituteIsWaitedForInVain() async throws {
    let gate = Gate()
    let now = bench.clock.date
    var stored = StoredResponse(
      url: "http://192.0.2.1/x",
      head: ResponseHead(status: 200, headers: HeaderFields([("Cache-Control", "max-age=60, stale-if-error=1000")])),
      requestTime: now, responseTime: now)
    stored.bodyLength = 4
    bench.clock.advance(by: 100)
    let body = PieceBody("away")
    let script = ScriptedStage(.status(503, [], body, framing: .length(4)))
    let load = bench.begin(LoadRequest("http://192.0.2.1/x"), through: [stage(HeldStore(gate, stored)), script])
    try await gate.reached()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(body.isAbandoned)
    gate.open()
  }
}
