import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The task that a load is for, as the engine sees it: the public layer implements it.
///
/// Called on the load's executor. Functions that ask the app are async and return when it has answered. What only some clients do is a
/// capability of its own: nil where the client doesn't.
package protocol LoadClient: AnyObject, Sendable {
  /// Whether the body is wanted whole at the end rather than piece by piece.
  var collectsBody: Bool { get }
  /// Whether the load serves the cache alone: it ends where there is nothing to store.
  var readsForStoreAlone: Bool { get }
  /// The request now in effect: redirected, or with the session's headers added.
  func requestChanged(_ request: LoadRequest)
  func didReceive(informational response: LoadResponse)
  /// There is no network that the load may use, and it waits for one; called once.
  func isWaitingForConnectivity()
  /// Returns whether the app must be asked before the body may follow.
  func didReceive(response: LoadResponse) -> Bool
  /// Returns how the app wants to go on; throws `.cancelled` if it doesn't.
  func askDisposition() async throws(LoadError) -> LoadDisposition
  /// A piece of body as it is needed by the app. Returns when there is room for the next.
  func didReceive(body: ByteBuffer) async throws(LoadError)
  /// Bytes of a collected body have arrived.
  func didCollect(bytes: Int)
  /// The last call, exactly once.
  func didFinish(_ result: LoadResult)

  /// nil: a redirect response is the result.
  var redirects: (any RedirectAnswering)? { get }
  /// nil: challenges get default handling, and there is no credential storage.
  var challenges: (any ChallengeAnswering)? { get }
  /// nil: no body can be sent a second time that the request doesn't hold, and sending isn't reported.
  var bodies: (any BodySupplying)? { get }
  /// nil: what is stored is stored as it came.
  var cachingReview: (any CachingReviewing)? { get }
  /// nil: there is no cookie storage of the app's own.
  var cookieStorage: (any CookieStoring)? { get }
  /// nil: no class of the app's is asked to load the request.
  var customProtocols: (any CustomProtocolProviding)? { get }
  /// The file that the body goes into; nil for all but downloads.
  var downloading: (any Downloading)? { get }
  /// nil: a body of parts that replace each other is delivered as it comes.
  var parts: (any PartReceiving)? { get }
}

extension LoadClient {
  package var readsForStoreAlone: Bool { false }
  package func requestChanged(_ request: LoadRequest) {}
  package func didReceive(informational response: LoadResponse) {}
  package func isWaitingForConnectivity() {}
  package func didReceive(response: LoadResponse) -> Bool { false }
  package func askDisposition() async throws(LoadError) -> LoadDisposition { .receiveBody }
  package func didReceive(body: ByteBuffer) async throws(LoadError) {}
  package func didCollect(bytes: Int) {}

  package var redirects: (any RedirectAnswering)? { nil }
  package var challenges: (any ChallengeAnswering)? { nil }
  package var bodies: (any BodySupplying)? { nil }
  package var cachingReview: (any CachingReviewing)? { nil }
  package var cookieStorage: (any CookieStoring)? { nil }
  package var customProtocols: (any CustomProtocolProviding)? { nil }
  package var downloading: (any Downloading)? { nil }
  package var parts: (any PartReceiving)? { nil }

  package var download: Download? { downloading?.download }
  /// The client as evaluator of new connections' servers; nil if no delegate would answer.
  package var peerEvaluator: (any PeerEvaluator)? { challenges?.peerEvaluator }
}

/// How a load goes on behind its response.
package enum LoadDisposition {
  case receiveBody
  /// The app takes the connection.
  case stream(StreamSession)
}

/// A client whose app is asked about redirects.
package protocol RedirectAnswering: AnyObject, Sendable {
  /// The app's answer to a redirect; nil makes the redirect response the result.
  func willRedirect(_ response: LoadResponse, to request: LoadRequest) async -> LoadRequest?
}

/// A client that answers challenges and has a credential storage.
package protocol ChallengeAnswering: AnyObject, Sendable {
  /// Whether `answer` could be anything but default handling: there is a delegate that may take challenges.
  var mayAnswerChallenges: Bool { get }
  /// Evaluates servers and lends identities for new connections of this load; nil if no delegate would answer.
  var peerEvaluator: (any PeerEvaluator)? { get }
  /// The app's answer to a challenge; default handling if no delegate takes it.
  func answer(_ challenge: Challenge) async throws(LoadError) -> ChallengeAnswer
  /// The credential that the session's storage has for `space`; nil if it has none, or there is no storage.
  func storedCredential(for space: ProtectionSpace) async throws(LoadError) -> Credential?
  /// `credential` has opened `space`, which `refused` haven't: the storage keeps it as long as it wants to be kept.
  func store(_ credential: Credential, for space: ProtectionSpace, insteadOf refused: [Credential]) async throws(LoadError)
}

/// A client that supplies a request's body anew, and is told how much of it has been sent.
package protocol BodySupplying: AnyObject, Sendable {
  /// A stream that starts at the body's byte `offset`; `.none` if the app has none.
  func newBodyStream(from offset: Int64) async -> LoadRequest.Body
  /// A body of this many bytes is about to be sent, perhaps again; -1 if its length is unknown.
  func willSendBody(expected: Int64)
  func didSendBody(bytes: Int64, total: Int64, expected: Int64)
}

/// A client whose app has a say in what is stored: bodies are kept for it.
package protocol CachingReviewing: AnyObject, Sendable {
  /// What the app makes of a response that is about to be stored, after all of its body has been delivered; nil: don't store it.
  func review(_ proposal: CacheProposal) async -> CacheProposal?
}

/// A client with a cookie storage class of the app's own.
package protocol CookieStoring: AnyObject, Sendable {
  /// The `Cookie` field for the task; nil if it has no cookies.
  func appCookieField(for request: LoadRequest) async throws(LoadError) -> String?
  func storeAppCookies(_ fields: [String], for request: LoadRequest) async throws(LoadError)
}

/// A client whose app has classes that load requests.
package protocol CustomProtocolProviding: AnyObject, Sendable {
  /// The handler of an app's own class for this request, if one wants it.
  func customProtocol(for request: LoadRequest) async -> (any ProtocolHandler)?
}

/// A client that is given the parts of a multipart/x-mixed-replace body one by one.
package protocol PartReceiving: AnyObject, Sendable {
  /// A part begins: its data follows. Returns when the app has said how to go on; throws `.cancelled` if it doesn't.
  func didReceive(part response: LoadResponse) async throws(LoadError)
  /// As `LoadClient`'s.
  func didReceive(body: ByteBuffer) async throws(LoadError)
}

/// A client that loads into a file.
package protocol Downloading: AnyObject, Sendable {
  var download: Download? { get }
  /// Bytes of the body are in the download's file, or about to be, which weren't received as a piece.
  func didStore(bytes: Int)
  /// The head of a response, also of one that an app's own class made; nil if it isn't HTTP's.
  func head(of response: LoadResponse) -> ResponseHead?
}
