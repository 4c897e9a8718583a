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
  ///
  /// - Parameter hasLeftOrigin: Whether the load that found the response has been redirected to another origin: what the session adds for
  ///   the first one isn't sent here either.
  func begin(_ url: String, _ request: LoadRequest, _ session: LoadSession, hasLeftOrigin: Bool) {
    guard !isOver, running[url] == nil, running.count < Revalidations.limit else { return }
    var request = request
    request.mutate {
      $0.cachePolicy = 5
      // Whole, and as the server thinks best: not what this one load wanted of it.
      $0.headers.remove("Range")
      $0.headers.remove("If-Range")
    }
    let context = session.makeContext(request)
    context.priority.level = 0
    running[url] = context
    let load = Load(context, RevalidationClient(self, url))
    if hasLeftOrigin { load.origins = .departed }
    session.start(request, load)
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
  var readsForStoreAlone: Bool { true }
  // A redirect is an answer like any other: it replaces what is stored, or doesn't. No delegate is asked: with a server that wants a
  // credential or the app's trust anew nothing is validated.
  func didFinish(_ result: LoadResult) { owner.ended(url) }
}
