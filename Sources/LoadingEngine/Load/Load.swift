import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// What kind of load it is.
package enum LoadKind {
  /// A response, whose body is delivered or kept.
  case data
  /// As `data`, for a body that can be sent on where a connection broke.
  case upload(ResumableUpload)
  /// A WebSocket: its messages follow the response.
  case webSocket(WebSocketSession)
  /// A connection of the app's, from the first byte on or behind a response's head.
  case stream(StreamSession)
}

/// What begins loads: their session.
protocol LoadBeginner: AnyObject, Sendable {
  func begin(_ load: Load, _ request: LoadRequest)
}

/// One load as its stages see it: its context, kind and client, and what its stages have to tell each other.
///
/// Owned by the load's task; confined to its event loop.
package final class Load: @unchecked Sendable {
  // @unchecked: `context` and `client` are immutable. The rest is set before the load is handed to its event loop, and confined to that
  // loop from then on; `LoadDriver` asserts it.
  package let context: LoadContext
  package let client: any LoadClient
  /// Changes once, when a data task becomes a stream.
  @exclusivity(unchecked) package internal(set) var kind: LoadKind
  /// Credentials that servers and proxies have refused the request in effect; the authentication's.
  @exclusivity(unchecked) var refusedAttempts = 0
  /// Redirects followed so far; the redirect stage's.
  @exclusivity(unchecked) var redirectCount = 0
  /// The cookie stages' own.
  @exclusivity(unchecked) var cookies = CookieProgress()
  /// Whether the load is still where it began; the exchange stage's.
  @exclusivity(unchecked) var origins: OriginTrail
  /// The request as the stages above the exchange have made it: which credential and cookies went out, for responses that vary by them.
  @exclusivity(unchecked) var sentRequest: LoadRequest?
  /// The last exchange of a load whose connection the app may take.
  @exclusivity(unchecked) var exchange: Exchange?
  /// What a relay's request is sent with in the place of the session's defaults, while that is under way; the oblivious stage's.
  @exclusivity(unchecked) var envelope: SessionHeaderDefaults?
  /// What it begins with, until then.
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

  /// The upload that the load is; nil for every other load.
  var upload: ResumableUpload? {
    if case .upload(let upload) = kind { upload } else { nil }
  }

  /// The load's request is sent from the beginning again, wherever redirects have led.
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

/// Where a load began, and whether it is still there: credentials meant for that origin stay withheld from others.
struct OriginTrail {
  private var first: Origin?
  private var hasLeft = false

  init(_ first: Origin?) { self.first = first }

  /// That of a load whose first origin was left before it began, wherever it leads.
  static let departed = OriginTrail(nil)

  /// Whether the load has stayed with its first origin, now that it goes to `origin`.
  mutating func isAtFirst(_ origin: Origin) -> Bool {
    if origin != first { hasLeft = true }
    return !hasLeft
  }

  /// The load begins again.
  mutating func beginAgain() { hasLeft = false }

  /// The load goes on at `secured` as if it had begun there: the same server, reached by TLS.
  mutating func move(from origin: Origin, to secured: Origin) {
    if first == origin { first = secured }
  }
}
