import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct UploadResumptionStageTests {
  private let bench = StageBench()
  private let request = LoadRequest("http://a.test/up", method: "POST", body: .data(Data("0123456789".utf8)))
  private static let lost = LoadError(.networkConnectionLost, .send, "lost")

  private func begin(_ script: ScriptedStage) -> BenchLoad {
    bench.begin(request, through: [UploadResumptionStage(), script]) { [request] in $0.kind = .upload(ResumableUpload(request)) }
  }

  /// The connection breaks after the server has named a place for the upload.
  private static func broken(_ fields: [HeaderFields.Entry] = [], _ error: LoadError = lost) -> ScriptedStage.Step {
    .with(
      { load in
        guard let url = URL(string: "http://a.test/up") else { return }
        let fields = [("Location", "/uploads/1"), ("Upload-Draft-Interop-Version", "3")] + fields
        load.upload?.note(ResponseHead(status: 104, headers: HeaderFields(fields)), from: url)
      }, .fail(error))
  }

  /// The server's answer to the question how much it has.
  private static func holds(_ offset: Int, isComplete: Bool = false) -> ScriptedStage.Step {
    .status(204, [("Upload-Offset", String(offset)), ("Upload-Incomplete", isComplete ? "?0" : "?1")])
  }

  private static func body(_ request: LoadRequest?) -> String? {
    if case .data(let data)? = request?.body { String(decoding: data, as: UTF8.self) } else { nil }
  }

  @Test func otherLoadsPassUnmarked() async {
    let script = ScriptedStage(.status(200), .fail(UploadResumptionStageTests.lost))
    #expect(await bench.load(request, through: [UploadResumptionStage(), script]).status == 200)
    #expect(script.last?.headers.isEmpty == true)
    #expect(await bench.load(request, through: [UploadResumptionStage(), script]).error?.kind == .networkConnectionLost)
  }

  @Test func uploadSaysThatItCanBeResumed() async {
    let script = ScriptedStage(.status(200, [], "thanks"))
    let outcome = await begin(script).outcome
    #expect(outcome.body == "thanks")
    #expect(script.last?.headers.first("Upload-Draft-Interop-Version") == "3")
    #expect(script.last?.headers.first("Upload-Incomplete") == "?0")
    #expect(UploadResumptionStageTests.body(script.last) == "0123456789")
  }

  @Test func brokenUploadWithoutAPlaceFails() async {
    let script = ScriptedStage(.fail(UploadResumptionStageTests.lost), .status(200))
    #expect(await begin(script).outcome.error?.kind == .networkConnectionLost)
    #expect(script.requests.count == 1)
  }

  @Test func brokenUploadGoesOnWhereTheServerSays() async {
    let script = ScriptedStage(UploadResumptionStageTests.broken(), UploadResumptionStageTests.holds(4), .status(201, [], "thanks"))
    let outcome = await begin(script).outcome
    #expect(outcome.body == "thanks")
    #expect(script.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
    #expect(script.requests.dropFirst().allSatisfy { $0.url?.absoluteString == "http://a.test/uploads/1" })
    #expect(script.last?.headers.first("Upload-Offset") == "4")
    #expect(script.last?.headers.first("Upload-Incomplete") == "?0")
    #expect(UploadResumptionStageTests.body(script.last) == "456789")
    // Each of them is a transaction of its own.
    #expect(outcome.records.map { $0.request.method } == ["POST", "HEAD", "PATCH"])
  }

  /// The host has asked for TLS since the upload was interrupted.
  @Test func uploadOfAnEarlierTaskFollowsAnUpgradeToTLS() async throws {
    let place = UploadResource(location: try #require(URL(string: "http://a.test/uploads/1")), version: UploadDraftVersion(3))
    let stored = try #require(UploadResumeData(request, place, length: 10)?.encoded)
    let secure = LoadRequest("https://a.test/up", method: "POST", body: .data(Data("0123456789".utf8)))
    let script = ScriptedStage(UploadResumptionStageTests.holds(4), .status(201, [], "thanks"))
    let upload = ResumableUpload(try #require(UploadResumeData(stored)))
    let load = bench.begin(secure, through: [UploadResumptionStage(), script]) { $0.kind = .upload(upload) }
    #expect(await load.outcome.body == "thanks")
    #expect(script.requests.map { $0.url?.absoluteString } == ["https://a.test/uploads/1", "https://a.test/uploads/1"])
    // What is interrupted again can be resumed again.
    #expect(UploadResumeData(try #require(upload.resumeData))?.resource.location.scheme == "https")
  }

  /// Resume data names the app's own request, at whose origin the place is looked for.
  @Test(arguments: ["http://a.test/other", "http://b.test/up"]) func placeBehindARedirectToAnotherOriginLeavesNoResumeData(_ target: String)
  {
    let upload = ResumableUpload(request)
    #expect(!upload.begin(LoadRequest(target, method: "POST", body: .data(Data("0123456789".utf8)))))
    let head = ResponseHead(status: 104, headers: HeaderFields([("Location", "/uploads/1")]))
    if let url = URL(string: target) { upload.note(head, from: url) }
    #expect(upload.resource != nil)
    let isReadable = upload.resumeData.map { UploadResumeData($0) != nil }
    #expect(isReadable == (target.hasPrefix("http://a.test") ? true : nil))
  }

  /// By that, an attempt that has brought more to the server is told from one that has only sent more.
  @Test func resumeDataSaysHowMuchTheServerHasHad() throws {
    let upload = ResumableUpload(request)
    _ = upload.begin(request)
    upload.note(ResponseHead(status: 104, headers: HeaderFields([("Location", "/uploads/1")])), from: try #require(request.url))
    #expect(upload.resumeData.flatMap { UploadResumeData($0) }?.offset == 0)
    upload.goOn(from: 6)
    upload.goOn(from: 4)
    let data = try #require(upload.resumeData.flatMap { UploadResumeData($0) })
    #expect(data.offset == 6)
    // A task that fails before the server has answered it leaves the same.
    let later = ResumableUpload(data)
    #expect(later.begin(request))
    #expect(later.offset == 0 && later.resumeData.flatMap { UploadResumeData($0) }?.offset == 6)
  }

  /// A delegate that counts failures is told of those of the request at hand.
  @Test func eachRequestOfAnUploadBeginsWithoutRefusedCredentials() async {
    let seen = Mutex<[Int]>([])
    func refusing(_ step: ScriptedStage.Step) -> ScriptedStage.Step {
      .with(
        { load in
          seen.withLock { $0.append(load.refusedAttempts) }
          load.refusedAttempts += 1
        }, step)
    }
    let script = ScriptedStage(
      refusing(UploadResumptionStageTests.broken()), refusing(UploadResumptionStageTests.holds(4)), refusing(.status(201, [], "thanks")))
    #expect(await begin(script).outcome.body == "thanks")
    #expect(seen.withLock { $0 } == [0, 0, 0])
  }

  /// 503 to a request that the app never made.
  @Test(arguments: [true, false]) func troubledServerIsAskedAgainOnlyForUploadsThatAreRepeated(_ isRepeated: Bool) async {
    let script = ScriptedStage(
      UploadResumptionStageTests.broken(), UploadResumptionStageTests.holds(4), .status(503), UploadResumptionStageTests.holds(6),
      .status(201, [], "thanks"))
    let outcome = await bench.begin(request, through: [UploadResumptionStage(), script]) { [request] in
      let upload = ResumableUpload(request)
      if isRepeated { upload.keep { _ in } }
      $0.kind = .upload(upload)
    }.outcome
    #expect(outcome.status == (isRepeated ? 201 : 503))
    #expect(script.requests.map(\.method) == ["POST", "HEAD", "PATCH"] + (isRepeated ? ["HEAD", "PATCH"] : []))
    #expect(!isRepeated || UploadResumptionStageTests.body(script.last) == "6789")
  }

  @Test func retryPolicyDoesNotSendAgainWhatTheServerHas() async {
    let bench = StageBench {
      var policy = RetryPolicy()
      policy.firstDelay = 0
      $0.retryPolicy = policy
    }
    var request = request
    request.mutate { $0.method = "PUT" }
    let script = ScriptedStage(
      UploadResumptionStageTests.broken(), .fail(UploadResumptionStageTests.lost), UploadResumptionStageTests.holds(4),
      .fail(UploadResumptionStageTests.lost), UploadResumptionStageTests.holds(6), .status(201, [], "thanks"))
    let stages: [any Stage] = [UploadResumptionStage(), PolicyStage(session: bench.session), script]
    let outcome = await bench.begin(request, through: stages) { [request] in $0.kind = .upload(ResumableUpload(request)) }.outcome
    #expect(outcome.body == "thanks")
    // The question that was lost is the policy's.
    #expect(script.requests.map(\.method) == ["PUT", "HEAD", "HEAD", "PATCH", "HEAD", "PATCH"])
    #expect(UploadResumptionStageTests.body(script.last) == "6789")
  }

  /// A connection of HTTP/2 that had served others.
  @Test func silentRetryDoesNotSendAgainWhatTheServerHas() async {
    var request = request
    request.mutate { $0.method = "PUT" }
    var lost = UploadResumptionStageTests.lost
    lost.resendReason = .staleConnection
    let script = ScriptedStage(UploadResumptionStageTests.broken([], lost), UploadResumptionStageTests.holds(4), .status(201, [], "thanks"))
    let stages: [any Stage] = [UploadResumptionStage(), RetryStage(session: bench.session), script]
    let outcome = await bench.begin(request, through: stages) { [request] in $0.kind = .upload(ResumableUpload(request)) }.outcome
    #expect(outcome.body == "thanks")
    #expect(script.requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
  }

  @Test func retryPolicySendsAgainWhatHasNoPlace() async {
    let bench = StageBench {
      var policy = RetryPolicy()
      policy.firstDelay = 0
      $0.retryPolicy = policy
    }
    var request = request
    request.mutate { $0.method = "PUT" }
    let script = ScriptedStage(.fail(UploadResumptionStageTests.lost), .status(201, [], "thanks"))
    let stages: [any Stage] = [UploadResumptionStage(), PolicyStage(session: bench.session), script]
    let outcome = await bench.begin(request, through: stages) { [request] in $0.kind = .upload(ResumableUpload(request)) }.outcome
    #expect(outcome.body == "thanks")
    #expect(script.requests.map(UploadResumptionStageTests.body) == ["0123456789", "0123456789"])
  }

  @Test func serversLimitMakesSeveralPartsOfTheRest() async {
    let more = ScriptedStage.Step.status(201, [("Upload-Incomplete", "?1")])
    let script = ScriptedStage(
      UploadResumptionStageTests.broken([("Upload-Limit", "max-append-size=4")]), UploadResumptionStageTests.holds(2), more, .status(200))
    #expect(await begin(script).outcome.status == 200)
    #expect(script.requests.suffix(2).map(UploadResumptionStageTests.body) == ["2345", "6789"])
    #expect(script.requests.suffix(2).map { $0.headers.first("Upload-Incomplete") } == ["?1", "?0"])
  }

  @Test func serverThatHasEverythingHasTheLastWord() async {
    let script = ScriptedStage(UploadResumptionStageTests.broken(), UploadResumptionStageTests.holds(10, isComplete: true))
    let outcome = await begin(script).outcome
    #expect(outcome.status == 204)
    #expect(script.requests.count == 2)
  }

  @Test(arguments: [9, 11]) func serverThatHasEverythingButSaysAnotherLengthIsNotBelieved(_ offset: Int) async {
    let script = ScriptedStage(UploadResumptionStageTests.broken(), UploadResumptionStageTests.holds(offset, isComplete: true))
    let load = begin(script)
    #expect(await load.outcome.error?.kind == .networkConnectionLost)
    #expect(load.load.upload?.resource == nil)
  }

  @Test func serverCannotHaveMoreThanWasSent() async {
    let sending = ScriptedStage.Step.with({ $0.context.record.requestBodyBytes = 4 }, UploadResumptionStageTests.broken())
    let script = ScriptedStage(sending, UploadResumptionStageTests.holds(5), .status(200))
    #expect(await begin(script).outcome.error?.kind == .networkConnectionLost)
    #expect(script.requests.map(\.method) == ["POST", "HEAD"])
  }

  @Test func bytesOfEachAttemptCountAsSent() async {
    let sending = ScriptedStage.Step.with({ $0.context.record.requestBodyBytes = 4 }, UploadResumptionStageTests.broken())
    let more = ScriptedStage.Step.with({ $0.context.record.requestBodyBytes = 3 }, .fail(UploadResumptionStageTests.lost))
    let script = ScriptedStage(sending, UploadResumptionStageTests.holds(4), more, UploadResumptionStageTests.holds(7), .status(200))
    #expect(await begin(script).outcome.status == 200)
    #expect(UploadResumptionStageTests.body(script.last) == "789")
  }

  @Test(arguments: [(4, false), (9, true), (11, false)])
  func successOfTheLastPartWithAnotherEndIsAnError(_ offset: Int, isSaidComplete: Bool) async {
    var fields: [HeaderFields.Entry] = [("Upload-Offset", String(offset))]
    if isSaidComplete { fields.append(("Upload-Incomplete", "?0")) }
    let script = ScriptedStage(UploadResumptionStageTests.broken(), UploadResumptionStageTests.holds(4), .status(201, fields, "thanks"))
    #expect(await begin(script).outcome.error?.kind == .badServerResponse)
    #expect(script.requests.count == 3)
  }

  @Test func offsetBehindAPartThatWasSentEndsTheUpload() async {
    let more = ScriptedStage.Step.status(201, [("Upload-Incomplete", "?1"), ("Upload-Offset", "9")])
    let script = ScriptedStage(
      UploadResumptionStageTests.broken([("Upload-Limit", "max-append-size=4")]), UploadResumptionStageTests.holds(2), more, .status(200))
    #expect(await begin(script).outcome.error?.kind == .networkConnectionLost)
    #expect(script.requests.count == 3)
  }

  @Test func placeThatHasMovedIsAskedAtItsNewURL() async throws {
    let script = ScriptedStage(
      UploadResumptionStageTests.broken(), .status(307, [("Location", "/uploads/2")]), UploadResumptionStageTests.holds(4),
      .status(201, [], "thanks"))
    let load = begin(script)
    // While the redirect's body is discarded, an earlier wake is planned for a moment: that isn't the pause.
    let end = ContinuousClock.now + .seconds(300)
    while bench.clock.pendingWakes.first != 0.25, ContinuousClock.now < end {
      try await bench.clock.waitForWake(within: 0.25)
      await Task.yield()
    }
    bench.clock.advance(by: 0.25)
    #expect(await load.outcome.body == "thanks")
    #expect(script.requests.map(\.method) == ["POST", "HEAD", "HEAD", "PATCH"])
    #expect(script.requests.map { $0.url?.path } == ["/up", "/uploads/1", "/uploads/2", "/uploads/2"])
  }

  /// Above the stage it would be a redirect of the app's request: the whole body would be sent to the new URL.
  @Test func partThatIsRedirectedGoesOnAtItsNewURL() async {
    let script = ScriptedStage(
      UploadResumptionStageTests.broken(), UploadResumptionStageTests.holds(4), .status(308, [("Location", "2")]),
      UploadResumptionStageTests.holds(4), .status(201, [], "thanks"))
    #expect(await begin(script).outcome.body == "thanks")
    #expect(script.requests.map(\.method) == ["POST", "HEAD", "PATCH", "HEAD", "PATCH"])
    #expect(script.requests.suffix(2).allSatisfy { $0.url?.path == "/uploads/2" })
    #expect(UploadResumptionStageTests.body(script.last) == "456789")
  }

  @Test(arguments: [[], [UploadResumptionStageTests.holds(4)]])
  func redirectOfTheUploadToAnotherOriginEndsIt(_ before: [ScriptedStage.Step]) async {
    let redirect = ScriptedStage.Step.status(307, [("Location", "http://b.test/uploads/1")])
    let script = ScriptedStage([UploadResumptionStageTests.broken()] + before + [redirect, .status(200)])
    let load = begin(script)
    #expect(await load.outcome.error?.kind == .networkConnectionLost)
    #expect(script.requests.count == before.count + 2)
    #expect(load.load.upload?.resource == nil)
  }

  @Test func lastPartMaySayWhereTheResultIs() async {
    let script = ScriptedStage(
      UploadResumptionStageTests.broken(), UploadResumptionStageTests.holds(4), .status(303, [("Location", "/result")]))
    #expect(await begin(script).outcome.status == 303)
  }

  @Test func serverThatHasForgottenTheUploadEndsIt() async {
    let script = ScriptedStage(UploadResumptionStageTests.broken(), .status(404, [], "what upload?"), .status(200))
    let load = begin(script)
    let error = await load.outcome.error
    #expect(error?.kind == .networkConnectionLost)
    #expect(error?.message.contains("begin a new upload") == true)
    #expect(script.requests.count == 2)
    #expect(load.load.upload?.resource == nil)
  }

  @Test func serverOfAnotherOpinionIsAskedAgain() async throws {
    let script = ScriptedStage(
      UploadResumptionStageTests.broken(), UploadResumptionStageTests.holds(4), .status(409), UploadResumptionStageTests.holds(6),
      .status(200))
    let load = begin(script)
    #expect(await load.outcome.status == 200)
    #expect(UploadResumptionStageTests.body(script.last) == "6789")
  }

  @Test func attemptsThatBringNothingAcrossAreBoundedAndFurtherApartEachTime() async throws {
    let script = ScriptedStage([UploadResumptionStageTests.broken()] + Array(repeating: .fail(UploadResumptionStageTests.lost), count: 20))
    let load = begin(script)
    for seconds in [0.25, 0.5, 1, 2] {
      try await bench.clock.waitForWake(within: seconds)
      #expect(bench.clock.pendingWakes.first == seconds)
      bench.clock.advance(by: seconds)
    }
    #expect(await load.outcome.error?.kind == .networkConnectionLost)
    #expect(script.requests.map(\.method) == ["POST"] + Array(repeating: "HEAD", count: 5))
  }

  @Test func loadThatIsCancelledBetweenAttemptsEnds() async throws {
    let script = ScriptedStage(UploadResumptionStageTests.broken(), .fail(UploadResumptionStageTests.lost), .status(200))
    let load = begin(script)
    try await bench.clock.waitForWake(within: 0.25)
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(script.requests.count == 2)
  }

  @Test func errorsOfOtherKindsAreTold() async {
    let script = ScriptedStage(UploadResumptionStageTests.broken(), .fail(LoadError(.serverCertificateUntrusted, .secure, "who?")))
    #expect(await begin(script).outcome.error?.kind == .serverCertificateUntrusted)
    #expect(script.requests.count == 2)
  }

  @Test func problemThatCannotBeReadIsGivenUp() async {
    let body = PieceBody([.bytes("{"), .fail(LoadError(.cannotDecodeRawData, .decode, "not gzip"))])
    let problem = ScriptedStage.Step.status(400, [("Content-Type", "application/problem+json")], body, framing: .length(100))
    let script = ScriptedStage(UploadResumptionStageTests.broken(), UploadResumptionStageTests.holds(4), problem)
    #expect(await begin(script).outcome.error?.kind == .cannotDecodeRawData)
    #expect(body.isAbandoned)
  }
}
