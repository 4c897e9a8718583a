import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The task that a load is for, as the engine sees it: the public layer implements it.
///
/// Called on the load's executor. Functions that ask the app are async, and return when the app has answered. An ability that only some clients
/// have is a protocol of its own: the property is nil if the client doesn't have it.
package protocol LoadClient: AnyObject, Sendable {
  /// Whether the client wants the whole body at the end, rather than piece by piece.
  var collectsBody: Bool { get }
  /// Whether the load only fills the cache: it ends if there is nothing to store.
  var readsForStoreAlone: Bool { get }
  /// The request that is in effect from now on: redirected, or with the session's headers added.
  func requestChanged(_ request: LoadRequest)
  func didReceive(informational response: LoadResponse)
  /// The load waits for a network, because there is none that it may use. Called once.
  func isWaitingForConnectivity()
  /// The final response has arrived. Returns whether the app must be asked (`askDisposition`) before the body is delivered.
  func didReceive(response: LoadResponse) -> Bool
  /// Asks the app how to continue after the response; throws `.cancelled` if the app ends the load.
  func askDisposition() async throws(LoadError) -> LoadDisposition
  /// Delivers a piece of the body. Returns when the client has room for the next.
  func didReceive(body: ByteBuffer) async throws(LoadError)
  /// This number of bytes has been added to a collected body.
  func didCollect(bytes: Int)
  /// The load has ended. The last call, made exactly once.
  func didFinish(_ result: LoadResult)

  /// Answers redirects for the app; nil: a redirect response becomes the result.
  var redirects: (any RedirectAnswering)? { get }
  /// Answers challenges for the app; nil: challenges get default handling, and there is no credential storage.
  var challenges: (any ChallengeAnswering)? { get }
  /// Supplies bodies anew and is told of progress; nil: only a body in the request itself can be sent again, and progress isn't reported.
  var bodies: (any BodySupplying)? { get }
  /// Reviews responses before they are stored; nil: they are stored as they came.
  var cachingReview: (any CachingReviewing)? { get }
  /// The app's own class of cookie storage; nil if the app has none.
  var cookieStorage: (any CookieStoring)? { get }
  /// Finds the app's `URLProtocol` class for a request; nil: none is asked.
  var customProtocols: (any CustomProtocolProviding)? { get }
  /// The download's file; nil for all loads but downloads.
  var downloading: (any Downloading)? { get }
  /// Receives the parts of a multipart/x-mixed-replace body; nil: such a body is delivered as it comes.
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
  /// The client as evaluator of the servers of new connections; nil if no delegate would answer.
  package var peerEvaluator: (any PeerEvaluator)? { challenges?.peerEvaluator }
}

/// How a load continues after its response.
package enum LoadDisposition {
  case receiveBody
  /// The app takes over the connection as a stream.
  case stream(StreamSession)
}

/// A client whose app is asked about redirects.
package protocol RedirectAnswering: AnyObject, Sendable {
  /// The app's answer to a redirect; nil makes the redirect response the result.
  func willRedirect(_ response: LoadResponse, to request: LoadRequest) async -> LoadRequest?
}

/// A client that answers challenges and has a credential storage.
package protocol ChallengeAnswering: AnyObject, Sendable {
  /// Whether `answer` can return anything but default handling, because a delegate may take challenges.
  var mayAnswerChallenges: Bool { get }
  /// Evaluates servers and supplies client certificates for new connections of this load; nil if no delegate would answer.
  var peerEvaluator: (any PeerEvaluator)? { get }
  /// The app's answer to a challenge; default handling if no delegate takes it.
  func answer(_ challenge: Challenge) async throws(LoadError) -> ChallengeAnswer
  /// The credential that the session's storage has for `space`; nil if it has none, or there is no storage.
  func storedCredential(for space: ProtectionSpace) async throws(LoadError) -> Credential?
  /// Stores `credential`, which `space` has accepted after it refused those in `refused`, for as long as the credential's persistence says.
  func store(_ credential: Credential, for space: ProtectionSpace, insteadOf refused: [Credential]) async throws(LoadError)
}

/// A client that supplies a request's body again, and is told how much of it has been sent.
package protocol BodySupplying: AnyObject, Sendable {
  /// Whether the app may supply a new stream when it is asked.
  var suppliesNewStreams: Bool { get }
  /// A new stream that begins at byte `offset` of the body; `.none` if the app supplies none.
  func newBodyStream(from offset: Int64) async -> LoadRequest.Body
  /// A body of this many bytes is about to be sent, for the first time or again; -1 if its length is unknown.
  func willSendBody(expected: Int64)
  func didSendBody(bytes: Int64, total: Int64, expected: Int64)
}

/// A client whose app reviews responses before they are stored; their bodies are kept in memory until then.
package protocol CachingReviewing: AnyObject, Sendable {
  /// The response to store, as the app returns it, after its whole body has been delivered; nil: it isn't stored.
  func review(_ proposal: CacheProposal) async -> CacheProposal?
}

/// A client with a cookie storage class of the app's own.
package protocol CookieStoring: AnyObject, Sendable {
  /// The value of the `Cookie` field from the app's storage; nil if it has no cookies for the request.
  func appCookieField(for request: LoadRequest) async throws(LoadError) -> String?
  func storeAppCookies(_ fields: [String], for request: LoadRequest) async throws(LoadError)
}

/// A client whose app has `URLProtocol` classes that load requests.
package protocol CustomProtocolProviding: AnyObject, Sendable {
  /// A handler that loads the request by the app's own class; nil if no class wants it.
  func customProtocol(for request: LoadRequest) async -> (any ProtocolHandler)?
}

/// A client that receives the parts of a multipart/x-mixed-replace body one by one.
package protocol PartReceiving: AnyObject, Sendable {
  /// A part begins; its data follows. Returns when the app has answered how to continue; throws `.cancelled` if the app ends the load.
  func didReceive(part response: LoadResponse) async throws(LoadError)
  /// Delivers a piece of the part's data, as in `LoadClient`.
  func didReceive(body: ByteBuffer) async throws(LoadError)
}

/// A client that loads into a file.
package protocol Downloading: AnyObject, Sendable {
  var download: Download? { get }
  /// This number of bytes, which weren't delivered as a piece, has been moved into the download's file, or is about to be.
  func didStore(bytes: Int)
  /// The head of a response, also of one that an app's own class made; nil if it isn't an HTTP response.
  func head(of response: LoadResponse) -> ResponseHead?
}
