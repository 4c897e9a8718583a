import Foundation
import LoadingModel
import ProtocolRules
import Stores

/// The policy and request of the task for which a cookie storage is called, for the members of `HTTPCookieStorage` that take only a URL.
///
/// The members that take a task call those that take a URL, which subclasses may override. The base implementation finds the task's context in a
/// task-local value, as long as it runs within the same call.
struct CookieContext: Sendable {
  @TaskLocal static var current: CookieContext?

  /// The session's accept policy, which applies instead of the storage's own.
  let policy: HTTPCookie.AcceptPolicy
  private let method: String
  private let mainDocument: URL?
  private let isNavigation: Bool
  private let partition: String?

  /// The context of `task`; nil if it has no session or no request.
  init?(_ task: URLSessionTask) {
    guard let session = task.session, let request = (task.currentRequest ?? task.originalRequest)?.load else { return nil }
    policy = session.settings.httpCookieAcceptPolicy
    method = request.method
    mainDocument = request.mainDocumentURL
    partition = request.cookiePartitionIdentifier
    let first = task.original
    isNavigation = mainDocument != nil && first?.url != request.url && first?.mainDocumentURL != nil && first?.url == first?.mainDocumentURL
  }

  /// The request for `url`, by which the cookies to send are selected.
  func request(for url: CookieURL) -> CookieRequest { request(for: url, mainDocument: mainDocument) }

  /// The request whose response sets cookies, by which they are accepted.
  func request(for url: CookieURL, mainDocument: URL?) -> CookieRequest {
    CookieRequest(url: url, method: method, mainDocument: mainDocument, isNavigation: isNavigation, partition: partition)
  }
}
