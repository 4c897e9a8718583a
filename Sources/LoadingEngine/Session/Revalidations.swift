import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// Validates stale responses in the background while the app is given them (RFC 5861, 3), by loads without a task.
///
/// Owned by the session, which ends them when it ends; confined to its event loop.
package final class Revalidations: @unchecked Sendable {
  // @unchecked: confined to the session's event loop.

  /// The most validations at a time. Beyond them a stale response is used without being validated; the next load of its URL tries again.
  private static let limit = 16

  private var running: [String: LoadContext] = [:]
  private var isOver = false

  /// Validates the response stored for `url`, unless that is under way already.
  ///
  /// - Parameter hasLeftOrigin: Whether the load that found the response had been redirected to another origin: the session's credentials for the
  ///   first origin aren't sent by the validation either.
  func begin(_ url: String, _ request: LoadRequest, _ session: LoadSession, hasLeftOrigin: Bool) {
    guard !isOver, running[url] == nil, running.count < Revalidations.limit else { return }
    var request = request
    request.mutate {
      $0.cachePolicy = 5
      // The whole resource is requested, in the server's preferred form, rather than the range that this one load wanted.
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

  /// Ends all validations, because the session is over.
  package func end() {
    isOver = true
    for context in running.values { context.interrupt(.cancelled()) }
  }
}

/// The client of a validation: it ignores all events, because only the cache uses the response.
private final class RevalidationClient: LoadClient {
  private let owner: Revalidations
  private let url: String

  init(_ owner: Revalidations, _ url: String) {
    self.owner = owner
    self.url = url
  }

  var collectsBody: Bool { false }
  var readsForStoreAlone: Bool { true }
  // No capability for redirects and challenges: a redirect is the response, which replaces the stored one or doesn't; and if the server demands a
  // credential or the app's decision on its trust, nothing is validated, because no delegate is asked.
  func didFinish(_ result: LoadResult) { owner.ended(url) }
}
