import Foundation
import LoadingModel
import ProtocolRules
import Stores

/// What a task adds to the members of `HTTPCookieStorage` that are given a URL alone: its session's policy, and what its request says.
///
/// The members that take a task call those that don't, which subclasses override: what the base class does in the end finds the task's
/// context as long as that is within the same call.
struct CookieContext: Sendable {
  @TaskLocal static var current: CookieContext?

  /// Overrides the storage's own.
  let policy: HTTPCookie.AcceptPolicy
  private let method: String
  private let mainDocument: URL?
  private let isNavigation: Bool
  private let partition: String?

  /// Nil for a task without a session or a request.
  init?(_ task: URLSessionTask) {
    guard let session = task.session, let request = (task.currentRequest ?? task.originalRequest)?.load else { return nil }
    policy = session.settings.httpCookieAcceptPolicy
    method = request.method
    mainDocument = request.mainDocumentURL
    partition = request.cookiePartitionIdentifier
    let first = task.original
    isNavigation = mainDocument != nil && first?.url != request.url && first?.mainDocumentURL != nil && first?.url == first?.mainDocumentURL
  }

  /// The request whose cookies are looked up.
  func request(for url: CookieURL) -> CookieRequest { request(for: url, mainDocument: mainDocument) }

  /// The request whose response has set cookies.
  func request(for url: CookieURL, mainDocument: URL?) -> CookieRequest {
    CookieRequest(url: url, method: method, mainDocument: mainDocument, isNavigation: isNavigation, partition: partition)
  }
}
