import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// One step on the way of a load. A value; what belongs to one load lives in the function's locals or in the context.
package protocol Stage: Sendable {
  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded
}

/// The rest of a list of stages.
package struct Next: Sendable {
  private let stages: [any Stage]
  private let index: Int
  package let client: any LoadClient

  package init(_ stages: [any Stage], _ client: any LoadClient) {
    self.init(stages, at: 0, client)
  }

  private init(_ stages: [any Stage], at index: Int, _ client: any LoadClient) {
    self.stages = stages
    self.index = index
    self.client = client
  }

  @inline(__always)
  package func callAsFunction(_ request: LoadRequest, _ context: LoadContext) async throws(LoadError) -> Loaded {
    guard index < stages.count else { throw LoadError(.unknown, .admission, "the loading plan has no last stage") }
    return try await stages[index].load(request, context, Next(stages, at: index + 1, client))
  }
}

/// A response whose body can be read.
package struct Loaded {
  package var response: LoadResponse
  package var body: any BodyReader
  /// HTTP's delimitation of the body; `.untilClose` for other protocols.
  package var framing: ResponseBodyFraming
  /// Set by a protocol that proposes a redirect of its own making.
  package var proposedRedirect: LoadRequest?

  package init(
    response: LoadResponse, body: any BodyReader, framing: ResponseBodyFraming = .untilClose, proposedRedirect: LoadRequest? = nil
  ) {
    self.response = response
    self.body = body
    self.framing = framing
    self.proposedRedirect = proposedRedirect
  }
}

/// A body, pulled piece by piece: without a pull nothing is sent. Confined to the load.
package protocol BodyReader: AnyObject {
  /// The next piece, never empty; nil at the end.
  func next() async throws(LoadError) -> ByteBuffer?
  /// There will be no further pull.
  func abandon()
}

extension Exchange: BodyReader {
  package func next() async throws(LoadError) -> ByteBuffer? {
    while let chunk = try await nextChunk() {
      if chunk.readableBytes > 0 { return chunk }
    }
    return nil
  }
}

/// The task that a load is for, as the engine sees it: the public layer implements it.
///
/// Called on the load's executor. Functions that ask the app are async and return when it has answered.
package protocol LoadClient: AnyObject, Sendable {
  /// Whether the body is wanted whole at the end rather than piece by piece.
  var collectsBody: Bool { get }
  /// The file that the body goes into; nil for all but downloads.
  var download: Download? { get }
  /// The head of a response, also of one that an app's own class made; nil if it isn't HTTP's.
  func head(of response: LoadResponse) -> ResponseHead?
  /// Whether there are classes of the app's to ask.
  var mayHaveCustomProtocol: Bool { get }
  /// The handler of an app's own class for this request, if one wants it.
  func customProtocol(for request: LoadRequest) async -> (any ProtocolHandler)?
  /// The request now in effect: redirected, or with the session's headers added.
  func requestChanged(_ request: LoadRequest)
  /// The `Cookie` field for the task, from a storage class of the app's own; nil if it has no cookies.
  func appCookieField(for request: LoadRequest) async throws(LoadError) -> String?
  /// Gives `Set-Cookie` fields to a storage class of the app's own.
  func storeAppCookies(_ fields: [String], for request: LoadRequest) async throws(LoadError)
  /// The app's answer to a redirect; nil makes the redirect response the result.
  func willRedirect(_ response: LoadResponse, to request: LoadRequest) async -> LoadRequest?
  func didReceive(informational response: LoadResponse)
  /// There is no network that the load may use, and it waits for one; said once.
  func isWaitingForConnectivity()
  /// Whether `answer` could be anything but default handling: there is a delegate that may take challenges.
  var mayAnswerChallenges: Bool { get }
  /// Whom new connections of this load ask about trust and identity; nil if no delegate would answer.
  var peerEvaluator: (any PeerEvaluator)? { get }
  /// The app's answer to a challenge; default handling if no delegate takes it.
  func answer(_ challenge: Challenge) async throws(LoadError) -> ChallengeAnswer
  /// The credential that the session's storage has for `space`; nil if it has none, or there is no storage.
  func storedCredential(for space: ProtectionSpace) async throws(LoadError) -> Credential?
  /// `credential` has opened `space`, which `refused` haven't: the storage keeps it as long as it wants to be kept.
  func store(_ credential: Credential, for space: ProtectionSpace, insteadOf refused: [Credential]) async throws(LoadError)
  /// A stream that starts at the body's byte `offset`; `.none` if the app has none.
  func newBodyStream(from offset: Int64) async -> LoadRequest.Body
  /// A body of this many bytes is about to be sent, perhaps again; -1 if its length is unknown.
  func willSendBody(expected: Int64)
  func didSendBody(bytes: Int64, total: Int64, expected: Int64)
  /// Returns whether the app must be asked before the body may follow.
  func didReceive(response: LoadResponse) -> Bool
  /// Returns when the app allows the body; throws `.cancelled` if it doesn't.
  func askDisposition() async throws(LoadError)
  /// A piece of body as it is needed by the app. Returns when there is room for the next.
  func didReceive(body: ByteBuffer) async throws(LoadError)
  /// Bytes of the body are in the download's file, or about to be, which weren't received as a piece.
  func didStore(bytes: Int)
  /// Bytes of a collected body have arrived.
  func didCollect(bytes: Int)
  /// Whether the load serves the cache alone: it ends where there is nothing to store.
  var readsForStoreAlone: Bool { get }
  /// Whether the app has a say in what is stored: then bodies are kept for `review`.
  var reviewsCaching: Bool { get }
  /// What the app makes of a response that is about to be stored, after all of its body has been delivered; nil: don't store it.
  func review(_ proposal: CacheProposal) async -> CacheProposal?
  /// The last call, exactly once.
  func didFinish(_ result: LoadResult)
}

/// How a load ended.
package struct LoadResult: Sendable {
  package var response: LoadResponse?
  /// Only where the client collects.
  package var body: CollectedBody?
  package var error: LoadError?
  package var context: LoadContext
}

/// A scheme's way of loading.
package protocol ProtocolHandler: Sendable {
  func load(_ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> Loaded
}
