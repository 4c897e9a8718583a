import Foundation
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct AuthenticationStageTests {
  private let bench = StageBench()

  private func load(
    _ script: ScriptedStage, _ client: RecordingClient = RecordingClient(), _ request: LoadRequest = LoadRequest("http://a.test/in/x")
  ) async -> BenchLoad.Outcome {
    await bench.load(request, through: [AuthenticationStage(session: bench.session), script], client)
  }

  private static func refused(_ challenges: String...) -> ScriptedStage.Step {
    .status(401, challenges.map { ("WWW-Authenticate", $0) }, "who are you?")
  }

  private static let basic = refused("Basic realm=\"r\"")
  private static let digest = refused("Digest realm=\"r\", nonce=\"n1\", algorithm=SHA-256, qop=\"auth\"")
  private static let answered = "Basic dXNlcjpwdw=="

  private static func asked(_ persistence: Credential.Persistence = .forSession) -> RecordingClient {
    RecordingClient { $0.challenge = { _ in .use(.login("user", "pw", persistence)) } }
  }

  private static func authorizations(_ script: ScriptedStage) -> [String?] { script.requests.map { $0.headers.first("Authorization") } }

  @Test(arguments: [200, 403, 407]) func otherResponsesPass(_ status: Int) async {
    let script = ScriptedStage(.status(status, [], "body"))
    let outcome = await load(script, AuthenticationStageTests.asked())
    #expect(outcome.status == status)
    #expect(outcome.body == "body")
    #expect(AuthenticationStageTests.authorizations(script) == [nil])
  }

  @Test func challengeIsAnsweredWithTheAppsCredential() async {
    let client = AuthenticationStageTests.asked()
    let script = ScriptedStage(AuthenticationStageTests.basic, .status(200, [], "welcome"))
    let outcome = await load(script, client)
    #expect(outcome.body == "welcome")
    #expect(AuthenticationStageTests.authorizations(script) == [nil, AuthenticationStageTests.answered])
    #expect(client.events == [.challenge(.basic, failures: 0), .stored(user: "user")])
    #expect(outcome.records.map { $0.response?.status } == [401, nil])
  }

  @Test func credentialThatWasRightIsBroughtAlongBelowItsFolder() async {
    let client = AuthenticationStageTests.asked()
    #expect(await load(ScriptedStage(AuthenticationStageTests.basic, .status(200)), client).status == 200)
    let script = ScriptedStage(.status(200), .status(200), .status(200))
    #expect(await load(script, client, LoadRequest("http://a.test/in/y")).status == 200)
    #expect(await load(script, client, LoadRequest("http://a.test/out")).status == 200)
    #expect(await load(script, client, LoadRequest("http://a.test/in/y", [("Authorization", "Bearer own")])).status == 200)
    #expect(AuthenticationStageTests.authorizations(script) == [AuthenticationStageTests.answered, nil, "Bearer own"])
    #expect(client.challengeCount == 1)
  }

  /// A proxy that fetches it asks for nothing where the server takes anonymous users.
  @Test func loginOfAnFTPAddressIsSentAtOnce() async {
    let script = ScriptedStage(.status(200), .status(200), .status(200))
    #expect(await load(script, RecordingClient(), LoadRequest("ftp://user:pw@a.test/x")).status == 200)
    #expect(await load(script, RecordingClient(), LoadRequest("ftp://a.test/x")).status == 200)
    #expect(await load(script, RecordingClient(), LoadRequest("ftp://user:pw@a.test/x", [("Authorization", "Bearer own")])).status == 200)
    #expect(AuthenticationStageTests.authorizations(script) == [AuthenticationStageTests.answered, nil, "Bearer own"])
  }

  @Test func refusedLoginOfAnFTPAddressIsAskedForOnce() async {
    let client = RecordingClient { $0.challenge = { _ in .use(.login("user", "right")) } }
    let script = ScriptedStage(AuthenticationStageTests.basic, .status(200))
    #expect(await load(script, client, LoadRequest("ftp://user:pw@a.test/x")).status == 200)
    #expect(
      AuthenticationStageTests.authorizations(script) == [AuthenticationStageTests.answered, "Basic dXNlcjpyaWdodA=="])
    #expect(client.challengeCount == 1)
  }

  @Test func credentialForOneUseIsNeitherStoredNorRemembered() async {
    let client = AuthenticationStageTests.asked(.none)
    #expect(await load(ScriptedStage(AuthenticationStageTests.basic, .status(200)), client).status == 200)
    let script = ScriptedStage(.status(200))
    #expect(await load(script, client).status == 200)
    #expect(AuthenticationStageTests.authorizations(script) == [nil])
    #expect(client.events == [.challenge(.basic, failures: 0)])
  }

  @Test func wrongCredentialIsAskedForAgainUntilTheAppGivesUp() async {
    let client = RecordingClient {
      $0.challenge = { $0.previousFailureCount < 2 ? .use(.login("user", "wrong\($0.previousFailureCount)")) : .cancel }
    }
    let last = PieceBody("who are you?")
    let script = ScriptedStage(
      AuthenticationStageTests.basic, AuthenticationStageTests.basic,
      .status(401, [("WWW-Authenticate", "Basic realm=\"r\"")], last, framing: .length(12)))
    #expect(await load(script, client).error?.kind == .cancelled)
    #expect(script.requests.count == 3)
    #expect(client.events == (0...2).map { .challenge(.basic, failures: $0) })
    #expect(last.isAbandoned)
  }

  @Test func challengeThatNothingAnswersIsTheResult() async {
    let rejecting = RecordingClient { $0.challenge = { _ in .reject } }
    #expect(await load(ScriptedStage(AuthenticationStageTests.basic), rejecting).body == "who are you?")
    let empty = RecordingClient { $0.challenge = { _ in .use(nil) } }
    #expect(await load(ScriptedStage(AuthenticationStageTests.basic), empty).body == "who are you?")
    #expect(await load(ScriptedStage(AuthenticationStageTests.basic)).body == "who are you?")
    let bearer = AuthenticationStageTests.asked()
    #expect(await load(ScriptedStage(AuthenticationStageTests.refused("Bearer")), bearer).body == "who are you?")
    #expect(bearer.events.isEmpty)
  }

  @Test func appThatRejectsASpaceIsOfferedTheNext() async {
    let client = RecordingClient { $0.challenge = { $0.space.realm == "b" ? .use(.login("user", "pw")) : .reject } }
    let script = ScriptedStage(AuthenticationStageTests.refused("Basic realm=\"a\"", "Basic realm=\"b\""), .status(200))
    #expect(await load(script, client).status == 200)
    #expect(client.challengeCount == 2)
  }

  @Test func credentialsOfTheURLAndTheStorageNeedNoApp() async {
    let script = ScriptedStage(AuthenticationStageTests.basic, .status(200))
    #expect(await load(script, RecordingClient(), LoadRequest("http://user:pw@a.test/in/x")).status == 200)
    #expect(AuthenticationStageTests.authorizations(script).last == AuthenticationStageTests.answered)
    let stored = ScriptedStage(AuthenticationStageTests.basic, .status(200))
    let client = RecordingClient { $0.storedCredential = .login("user", "pw") }
    #expect(await load(stored, client, LoadRequest("http://b.test/")).status == 200)
    #expect(AuthenticationStageTests.authorizations(stored).last == AuthenticationStageTests.answered)
    #expect(client.events.isEmpty)
  }

  @Test func storedCredentialOfAnotherUserThanTheURLsIsNotUsed() async {
    let client = RecordingClient { $0.storedCredential = .login("user", "pw") }
    let script = ScriptedStage(AuthenticationStageTests.basic, AuthenticationStageTests.basic, .status(200))
    #expect(await load(script, client, LoadRequest("http://other:no@a.test/in/x")).status == 401)
    #expect(AuthenticationStageTests.authorizations(script) == [nil, "Basic b3RoZXI6bm8="])
    // Of the same user it is, after the URL's password has been refused.
    let second = ScriptedStage(AuthenticationStageTests.basic, AuthenticationStageTests.basic, .status(200))
    #expect(await load(second, client, LoadRequest("http://user:no@a.test/in/x")).status == 200)
    #expect(AuthenticationStageTests.authorizations(second) == [nil, "Basic dXNlcjpubw==", AuthenticationStageTests.answered])
  }

  @Test func digestCountsItsNonceOverLoads() async throws {
    let client = AuthenticationStageTests.asked()
    let first = ScriptedStage(AuthenticationStageTests.digest, .status(200))
    #expect(await load(first, client).status == 200)
    let second = ScriptedStage(.status(200, [("Authentication-Info", "nextnonce=\"n2\"")]), .status(200))
    #expect(await load(second, client).status == 200)
    #expect(await load(second, client).status == 200)
    let sent = (AuthenticationStageTests.authorizations(first) + AuthenticationStageTests.authorizations(second)).compactMap(\.self)
    #expect(sent.map { $0.contains("nonce=\"n1\"") } == [true, true, false])
    #expect(sent.map { $0.contains("nc=00000001") } == [true, false, true])
    #expect(sent[1].contains("nc=00000002"))
    #expect(client.challengeCount == 1)
  }

  @Test func staleNonceIsRenewedWithoutAsking() async {
    let client = AuthenticationStageTests.asked()
    let stale = AuthenticationStageTests.refused("Digest realm=\"r\", nonce=\"n2\", algorithm=SHA-256, qop=\"auth\", stale=true")
    let script = ScriptedStage(AuthenticationStageTests.digest, stale, .status(200))
    #expect(await load(script, client).status == 200)
    #expect(client.challengeCount == 1)
    #expect(script.last?.headers.first("Authorization")?.contains("nonce=\"n2\"") == true)
  }

  @Test func loadThatIsCancelledWhileTheAppIsAskedEnds() async throws {
    let gate = Gate()
    let client = RecordingClient {
      $0.asking = gate
      $0.challenge = { _ in .use(.login("user", "pw")) }
    }
    let body = PieceBody("who are you?")
    let script = ScriptedStage(.status(401, [("WWW-Authenticate", "Basic realm=\"r\"")], body, framing: .length(12)), .status(200))
    let load = bench.begin(LoadRequest("http://a.test/"), through: [AuthenticationStage(session: bench.session), script], client)
    try await gate.reached()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(script.requests.count == 1)
    #expect(body.isAbandoned)
  }

  /// A folder with a realm of its own, below one whose credential is sent unasked.
  @Test func credentialOfAnotherRealmIsNotRefusedByAChallenge() async {
    let client = RecordingClient { $0.challenge = { .use(.login($0.space.realm ?? "", "pw")) } }
    let (outer, inner) = (AuthenticationStageTests.refused("Basic realm=\"out\""), AuthenticationStageTests.refused("Basic realm=\"in\""))
    let (out, own) = ("Basic b3V0OnB3", "Basic aW46cHc=")
    let script = ScriptedStage(outer, .status(200), inner, .status(200), .status(200), .status(200))
    for path in ["x", "in/x", "y", "in/y"] { #expect(await load(script, client, LoadRequest("http://a.test/\(path)")).status == 200) }
    #expect(AuthenticationStageTests.authorizations(script) == [nil, out, out, own, out, own])
    #expect(client.challengeCount == 2 && !client.events.contains(.challenge(.basic, failures: 1)))
  }

  /// Without `domain` both are valid for the whole server (RFC 7616, 3.3).
  @Test func realmsOfOneServerAreAskedAboutOnce() async throws {
    let client = AuthenticationStageTests.asked()
    func refused(_ realm: String) -> ScriptedStage.Step {
      AuthenticationStageTests.refused("Digest realm=\"\(realm)\", nonce=\"n\", algorithm=SHA-256, qop=\"auth\"")
    }
    let script = ScriptedStage(
      refused("a"), .status(200), refused("b"), .status(200), .status(200), refused("a"), .status(200), .status(200))
    for path in ["a/1", "b/1", "b/2", "a/2", "a/3"] {
      #expect(await load(script, client, LoadRequest("http://a.test/\(path)")).status == 200)
    }
    let realms = AuthenticationStageTests.authorizations(script).map { $0?.firstMatch(of: /realm="(.)"/).map { String($0.1) } }
    #expect(realms == [nil, "a", "a", "b", "b", "b", "a", "a"])
    #expect(client.challengeCount == 2)
  }

  private static let integrity = refused("Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"")

  private static func upload(_ file: URL) -> LoadRequest {
    var request = LoadRequest("http://a.test/x")
    request.mutate {
      $0.method = "PUT"
      $0.body = .file(file)
    }
    return request
  }

  /// The kernel makes this file's content when it is read: its size is 0.
  @Test func integrityOfAFileIsThatOfTheBytesSent() async throws {
    let file = URL(filePath: "/proc/sys/kernel/ostype")
    let content = try String(contentsOf: file, encoding: .utf8)
    let script = ScriptedStage(AuthenticationStageTests.integrity, .status(200))
    #expect(await load(script, AuthenticationStageTests.asked(), AuthenticationStageTests.upload(file)).status == 200)
    let sent = try #require(script.last?.headers.first("Authorization"))
    let nonce = try #require(sent.firstMatch(of: /cnonce="([0-9a-f]+)"/)).1
    let hash = DigestAlgorithm.md5.hash
    let message = hash("PUT:/x:\(hash(content))")
    #expect(sent.contains("response=\"\(hash("\(hash("user:r:pw")):n:00000001:\(nonce):auth-int:\(message)"))\""))
  }

  @Test func loadThatIsCancelledWhileItsBodyIsHashedEnds() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "hashed-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    // Of a file with a hole, nothing lies on the disk; to read this one takes longer than the test may.
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 1 << 40)
    try handle.close()
    let client = AuthenticationStageTests.asked()
    let stages: [any Stage] = [AuthenticationStage(session: bench.session), ScriptedStage(AuthenticationStageTests.integrity)]
    let load = bench.begin(AuthenticationStageTests.upload(file), through: stages, client)
    try await client.received(.challenge(.digest, failures: 0))
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
  }
}
