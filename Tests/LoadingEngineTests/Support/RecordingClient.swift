import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules
import Testing

@testable import LoadingEngine
@testable import URLLoadingTestKit

/// The task of a load under test: records what the engine tells it, and answers what the test has said.
final class RecordingClient: LoadClient, RedirectAnswering, ChallengeAnswering, BodySupplying, CachingReviewing, CookieStoring,
  CustomProtocolProviding, Downloading
{
  enum Event: Sendable, Hashable {
    case request(String)
    case redirect(Int, to: String)
    case informational(Int)
    case waitsForConnectivity
    case challenge(AuthenticationMethod, failures: Int)
    case stored(user: String)
    case storedCookies([String])
    case newBodyStream(from: Int64)
    case willSendBody(Int64)
    case sent(Int64, of: Int64)
    case response(Int?)
    case disposition
    case body(String)
    case collected(Int)
    case finished(LoadError.Kind?)
  }

  /// What is answered. The defaults are those of a task without a delegate.
  struct Answers: Sendable {
    var collectsBody = true
    var download: Download?
    var redirect: @Sendable (LoadRequest) async -> LoadRequest? = { $0 }
    /// nil: there are no classes of the app's.
    var customProtocol: (@Sendable (LoadRequest) async -> (any ProtocolHandler)?)?
    var challenge: (@Sendable (Challenge) -> ChallengeAnswer)?
    /// Where questions about challenges and cookies wait; an interruption of the load ends the wait, as in the app's own tasks.
    var asking: Gate?
    var storedCredential: Credential?
    /// Asked about servers; nil where no delegate takes such challenges.
    var evaluator: (any PeerEvaluator)?
    var cookieField: @Sendable () -> String? = { nil }
    /// nil: the app supplies no new streams.
    var bodyStream: (@Sendable (Int64) async -> LoadRequest.Body)?
    /// nil: the app needn't be asked.
    var disposition: (@Sendable () async -> LoadError?)?
    var body: @Sendable () async -> LoadError? = { nil }
    var review: (@Sendable (CacheProposal) async -> CacheProposal?)?
  }

  private struct State: Sendable {
    var events: [Event] = []
    var result: LoadResult?
  }

  private let answers: Answers
  /// The load it is the client of.
  let context = Mutex<LoadContext?>(nil)
  private let state = Watched(State())

  init(_ configure: (inout Answers) -> Void = { _ in }) {
    var answers = Answers()
    configure(&answers)
    self.answers = answers
  }

  var events: [Event] { state.read(\.events) }
  /// The challenges the app was asked about.
  var challengeCount: Int { events.count { if case .challenge = $0 { true } else { false } } }

  /// How the load ended, once it has.
  func result() async throws -> LoadResult {
    try await state.wait { $0.result != nil }
    return try #require(state.read(\.result))
  }

  /// Returns once `event` has been told.
  func received(_ event: Event) async throws { try await state.wait { $0.events.contains(event) } }

  private func waitForApp() async throws(LoadError) {
    guard let gate = answers.asking, let context = context.withLock({ $0 }) else { return }
    try await gate.pass(context)
  }

  private func note(_ event: Event) { state.update { $0.events.append(event) } }

  var collectsBody: Bool { answers.collectsBody }
  var download: Download? { answers.download }
  var redirects: (any RedirectAnswering)? { self }
  var challenges: (any ChallengeAnswering)? { self }
  var bodies: (any BodySupplying)? { self }
  var cookieStorage: (any CookieStoring)? { self }
  var customProtocols: (any CustomProtocolProviding)? { answers.customProtocol == nil ? nil : self }
  var downloading: (any Downloading)? { answers.download == nil ? nil : self }
  var peerEvaluator: (any PeerEvaluator)? { answers.evaluator }
  func didStore(bytes: Int) {}
  func head(of response: LoadResponse) -> ResponseHead? { response.httpHead }
  func customProtocol(for request: LoadRequest) async -> (any ProtocolHandler)? { await answers.customProtocol?(request) }
  func requestChanged(_ request: LoadRequest) { note(.request(request.url?.absoluteString ?? "")) }
  func appCookieField(for request: LoadRequest) async throws(LoadError) -> String? {
    try await waitForApp()
    return answers.cookieField()
  }
  func storeAppCookies(_ fields: [String], for request: LoadRequest) async throws(LoadError) { note(.storedCookies(fields)) }

  func willRedirect(_ response: LoadResponse, to request: LoadRequest) async -> LoadRequest? {
    note(.redirect(response.status ?? 0, to: request.url?.absoluteString ?? ""))
    return await answers.redirect(request)
  }

  func didReceive(informational response: LoadResponse) { note(.informational(response.status ?? 0)) }
  func isWaitingForConnectivity() { note(.waitsForConnectivity) }
  var mayAnswerChallenges: Bool { answers.challenge != nil }

  func answer(_ challenge: Challenge) async throws(LoadError) -> ChallengeAnswer {
    note(.challenge(challenge.space.method, failures: challenge.previousFailureCount))
    try await waitForApp()
    return answers.challenge?(challenge) ?? .performDefaultHandling
  }

  func storedCredential(for space: ProtectionSpace) async throws(LoadError) -> Credential? { answers.storedCredential }

  func store(_ credential: Credential, for space: ProtectionSpace, insteadOf refused: [Credential]) async throws(LoadError) {
    note(.stored(user: credential.login?.user ?? ""))
  }

  var suppliesNewStreams: Bool { answers.bodyStream != nil }

  func newBodyStream(from offset: Int64) async -> LoadRequest.Body {
    note(.newBodyStream(from: offset))
    return await answers.bodyStream?(offset) ?? .none
  }

  func willSendBody(expected: Int64) { note(.willSendBody(expected)) }
  func didSendBody(bytes: Int64, total: Int64, expected: Int64) { note(.sent(total, of: expected)) }

  func didReceive(response: LoadResponse) -> Bool {
    note(.response(response.status))
    return answers.disposition != nil || download != nil
  }

  func askDisposition() async throws(LoadError) -> LoadDisposition {
    note(.disposition)
    if let error = await answers.disposition?() { throw error }
    // As the public layer does: there must be a file for the body.
    if let download, let context = context.withLock({ $0 }), let response = context.record.response {
      try await download.open(response, self, context)
    }
    return .receiveBody
  }

  func didReceive(body: ByteBuffer) async throws(LoadError) {
    note(.body(String(buffer: body)))
    if let error = await answers.body() { throw error }
    if let download, let context = context.withLock({ $0 }) { try await download.append(body, context) }
  }

  func didCollect(bytes: Int) { note(.collected(bytes)) }
  var cachingReview: (any CachingReviewing)? { answers.review == nil ? nil : self }
  func review(_ proposal: CacheProposal) async -> CacheProposal? { await answers.review?(proposal) ?? nil }

  func didFinish(_ result: LoadResult) {
    state.update {
      $0.events.append(.finished(result.error?.kind))
      $0.result = result
    }
  }
}

extension Credential {
  static func login(_ user: String, _ password: String, _ persistence: Persistence = .forSession) -> Credential {
    Credential(.password(user: user, password: password), persistence: persistence)
  }
}
