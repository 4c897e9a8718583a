import Foundation
import LoadingModel
import ProtocolRules
import Stores

extension URLRequest {
  /// Adds the cookies that the daemon can't read because they are in the app's memory, as they are now.
  ///
  /// The daemon reads the shared storage's file, with cookies that have an expiry date; the session cookies of the shared storage are attached to the
  /// request. Cookies of any other storage are sent as a `Cookie` field.
  mutating func addCookies(of settings: URLSessionConfiguration) {
    guard let storage = settings.httpCookieStorage, settings.httpShouldSetCookies, httpShouldHandleCookies, let url else { return }
    if storage === HTTPCookieStorage.shared {
      let cookies = storage.cookiesInMemory(for: load)
      load.mutate { $0.attachedCookies = cookies }
    } else if value(forHTTPHeaderField: "Cookie") == nil, let cookies = storage.cookies(for: url), !cookies.isEmpty {
      for (name, value) in HTTPCookie.requestHeaderFields(with: cookies) { setValue(value, forHTTPHeaderField: name) }
    }
  }
}

extension HTTPCookieStorage {
  /// The cookies for the request that have no expiry date, so that they exist in this process's memory alone.
  func cookiesInMemory(for request: LoadRequest) -> [AttachedCookie] {
    guard let url = CookieURL(request.url) else { return [] }
    let wanted = CookieRequest(
      url: url, method: request.method, mainDocument: request.mainDocumentURL, partition: request.cookiePartitionIdentifier)
    let suffixes = store.suffixes
    return store.read { jar, now in
      jar.cookies(for: wanted.url, partition: wanted.partition, now: now) { wanted.party(suffixes) }
        .filter { $0.cookie.expires == nil }.map { AttachedCookie($0.pair, stored: $0.stored) }
    }
  }
}

extension URLSessionTask {
  /// Gives a task that resumes an earlier one and hasn't been started the cookies attached to `request`: resume data contains none. They are sent to
  /// the origin of `request` only.
  package func attachCookies(of request: URLRequest) {
    let (cookies, origin) = (request.load.attachedCookies, request.load.target?.origin)
    guard !cookies.isEmpty, let origin else { return }
    fields.withLock { fields in
      guard case .unstarted = fields.lifecycle, fields.currentRequest?.target?.origin == origin else { return }
      fields.currentRequest?.mutate { $0.attachedCookies = cookies }
    }
  }
}
