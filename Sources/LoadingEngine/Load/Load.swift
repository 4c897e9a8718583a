import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// The kind of a load, which decides what follows after the response's head.
package enum LoadKind {
  /// A response whose body is delivered to the app or collected.
  case data
  /// As `data`, for an upload that can be resumed after its connection broke.
  case upload(ResumableUpload)
  /// A WebSocket: messages follow the handshake's response.
  case webSocket(WebSocketSession)
  /// A connection that the app uses directly: from its first byte on, or after the head of a response.
  case stream(StreamSession)
}

/// Begins loads: implemented by their session.
protocol LoadBeginner: AnyObject, Sendable {
  func begin(_ load: Load, _ request: LoadRequest)
}

/// One load as its stages see it: its context, kind and client, and the state that its stages share.
///
/// Owned by the load's task; confined to its event loop.
package final class Load: @unchecked Sendable {
  // @unchecked: `context` and `client` are immutable. The rest is set before the load is handed to its event loop, and confined to that
  // loop from then on; `LoadDriver` asserts it.
  package let context: LoadContext
  package let client: any LoadClient
  /// The kind of the load. It changes once, when the app turns a data task into a stream.
  @exclusivity(unchecked) package internal(set) var kind: LoadKind
  /// The number of credentials that servers and proxies have refused for the current request; used by the authentication.
  @exclusivity(unchecked) var refusedAttempts = 0
  /// The logins that proxies have accepted and the session doesn't remember, because their persistence is `none`: they hold for the load's further
  /// requests, such as the one after the server's 401. nil if there are none.
  @exclusivity(unchecked) var proxyLogins: AuthenticationMemory?
  /// The body streams that have been read for the load, whole or in part. Made when the first is read: few loads have one.
  private(set) lazy var begunStreams = BegunStreams()
  /// The number of redirects followed so far; used by the redirect stage.
  @exclusivity(unchecked) var redirectCount = 0
  /// The state of the `Cookie` field; used by the cookie stages.
  @exclusivity(unchecked) var cookies = CookieProgress()
  /// Whether the load is still at its first origin; used by the exchange stage.
  @exclusivity(unchecked) var origins: OriginTrail
  /// The request as it was sent, after all stages above the exchange: the cache reads its credential and cookies for responses that vary by them.
  @exclusivity(unchecked) var sentRequest: LoadRequest?
  /// The last exchange of a load whose connection the app may take over as a stream.
  @exclusivity(unchecked) var exchange: Exchange?
  /// The header defaults for the request to an oblivious relay, in place of the session's, while that request is sent; used by the oblivious
  /// stage.
  @exclusivity(unchecked) var envelope: SessionHeaderDefaults?
  /// The session and the request with which the load begins; nil once it has begun.
  @exclusivity(unchecked) private var beginning: (beginner: any LoadBeginner, request: LoadRequest)?
  /// Whether the client has been told that the load waits for a network.
  @exclusivity(unchecked) private var hasToldOfWaiting = false

  package init(_ context: LoadContext, _ client: any LoadClient, _ kind: LoadKind = .data) {
    self.context = context
    self.client = client
    self.kind = kind
    origins = OriginTrail(context.record.request.target?.origin)
    if case .webSocket = kind { context.terms.use = .webSocket }
  }

  /// Called before the load is handed to its event loop.
  func prepare(_ request: LoadRequest, by beginner: any LoadBeginner) { beginning = (beginner, request) }

  func begin() {
    guard let (beginner, request) = beginning.take() else { return }
    beginner.begin(self, request)
  }

  /// The upload's state if the load is an upload; nil for every other load.
  var upload: ResumableUpload? {
    if case .upload(let upload) = kind { upload } else { nil }
  }

  /// Resets the state because the load's first request is sent again, wherever redirects have led.
  func beginAgain() {
    redirectCount = 0
    refusedAttempts = 0
    origins.beginAgain()
  }

  /// Tells the client, once, that the load waits for a network.
  func tellOfWaiting() {
    if !hasToldOfWaiting { client.isWaitingForConnectivity() }
    hasToldOfWaiting = true
  }
}

/// The first origin of a load, and whether the load has left it: credentials meant for that origin aren't sent to others afterwards.
struct OriginTrail {
  private var first: Origin?
  private var hasLeft = false

  init(_ first: Origin?) { self.first = first }

  /// The trail of a load that counts as having left its first origin from the beginning.
  static let departed = OriginTrail(nil)

  /// Whether the load has stayed at its first origin, including the next request, which goes to `origin`.
  mutating func isAtFirst(_ origin: Origin) -> Bool {
    if origin != first { hasLeft = true }
    return !hasLeft
  }

  /// Forgets that the load has left its first origin, because it begins again there.
  mutating func beginAgain() { hasLeft = false }

  /// Notes an upgrade to TLS: the load continues as if it had begun at `secured`, which is the same server.
  mutating func move(from origin: Origin, to secured: Origin) {
    if first == origin { first = secured }
  }
}
