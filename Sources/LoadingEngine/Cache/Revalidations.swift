import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// Validations of stale responses that the app is already being given (RFC 5861, 3): loads without a task.
///
/// Owned by the session, which ends them when it ends; confined to its event loop.
package final class Revalidations: @unchecked Sendable {
  // @unchecked: confined to the session's event loop.

  /// Running at once. Beyond that a stale response is used without being validated; the next load of its URL tries again.
  private static let limit = 16

  private var running: [String: LoadContext] = [:]
  private var isOver = false

  /// Validates what is stored under `url`, unless that is being done already.
  func begin(_ url: String, _ request: LoadRequest, _ session: LoadSession) {
    guard !isOver, running[url] == nil, running.count < Revalidations.limit else { return }
    var request = request
    request.mutate {
      $0.cachePolicy = 5
      // Whole, and as the server thinks best: not what this one load wanted of it.
      $0.headers.remove("Range")
      $0.headers.remove("If-Range")
    }
    let context = session.makeContext(request)
    context.priority = 0
    running[url] = context
    session.start(request, context, RevalidationClient(self, url))
  }

  fileprivate func ended(_ url: String) { running[url] = nil }

  /// The session is over.
  package func end() {
    isOver = true
    for context in running.values { context.interrupt(.cancelled()) }
  }
}

/// The client of a validation beside a load: it discards all events. What counts is what the cache makes of them.
private final class RevalidationClient: LoadClient {
  private let owner: Revalidations
  private let url: String

  init(_ owner: Revalidations, _ url: String) {
    self.owner = owner
    self.url = url
  }

  var collectsBody: Bool { false }
  var mayHaveCustomProtocol: Bool { false }
  func customProtocol(for request: LoadRequest) async -> (any ProtocolHandler)? { nil }
  func requestChanged(_ request: LoadRequest) {}
  /// A redirect is an answer like any other: it replaces what is stored, or doesn't.
  func willRedirect(_ response: LoadResponse, to request: LoadRequest) async -> LoadRequest? { nil }
  func didReceive(informational response: LoadResponse) {}
  // No delegate is asked: a server that wants a credential or the app's trust anew isn't validated with.
  func appCookieField(for request: LoadRequest) async throws(LoadError) -> String? { nil }
  func storeAppCookies(_ fields: [String], for request: LoadRequest) async throws(LoadError) {}
  var peerEvaluator: (any PeerEvaluator)? { nil }
  func storedCredential(for space: ProtectionSpace) async throws(LoadError) -> Credential? { nil }
  func store(_ credential: Credential, for space: ProtectionSpace, insteadOf refused: [Credential]) async throws(LoadError) {}
  var mayAnswerChallenges: Bool { false }
  func answer(_ challenge: Challenge) async throws(LoadError) -> ChallengeAnswer { .performDefaultHandling }
  func newBodyStream(from offset: Int64) async -> LoadRequest.Body { .none }
  func willSendBody(expected: Int64) {}
  func didSendBody(bytes: Int64, total: Int64, expected: Int64) {}
  func didReceive(response: LoadResponse) -> Bool { false }
  func askDisposition() async throws(LoadError) {}
  func didReceive(body: ByteBuffer) async throws(LoadError) {}
  func didCollect(bytes: Int) {}
  var readsForStoreAlone: Bool { true }
  var reviewsCaching: Bool { false }
  func review(_ proposal: CacheProposal) async -> CacheProposal? { proposal }
  func didFinish(_ result: LoadResult) { owner.ended(url) }
}
