import Foundation
import LoadingModel

/// Keeps cookies in memory, as long as the object lives.
///
/// Every member may be used from any thread. A change posts `NSHTTPCookieManagerCookiesChanged` on the thread that made it. Sessions
/// call the members that take a task, so these are the ones for a subclass to override, as Apple documents.
open class HTTPCookieStorage: NSObject, @unchecked Sendable {
  // @unchecked: the stored properties are a mutex and a constant; subclasses answer for what they add.
  private struct State {
    var jar = CookieJar()
    var policy = HTTPCookie.AcceptPolicy.always
  }

  private static let sharedStorage = HTTPCookieStorage()
  private static let groupStorages = Mutex<[String: HTTPCookieStorage]>([:])

  private let state = Mutex(State())
  private let now: @Sendable () -> Date

  init(now: @escaping @Sendable () -> Date) {
    self.now = now
    super.init()
  }

  /// A storage of one's own, empty.
  public override init() {
    now = { Date() }
    super.init()
  }

  /// The storage of the process.
  open class var shared: HTTPCookieStorage { sharedStorage }

  /// The storage of the process that goes by `identifier`.
  open class func sharedCookieStorage(forGroupContainerIdentifier identifier: String) -> HTTPCookieStorage {
    groupStorages.withLock { storages in
      if let storage = storages[identifier] { return storage }
      let storage = HTTPCookieStorage()
      storages[identifier] = storage
      return storage
    }
  }

  /// Every cookie that hasn't ended, oldest first.
  open var cookies: [HTTPCookie]? {
    let now = now()
    return state.withLock { $0.jar.all(now: now) }
  }

  /// Stores a cookie in place of the one with the same name, domain and path, unless the policy is `.never`.
  ///
  /// A cookie that has ended only removes the one it would replace.
  open func setCookie(_ cookie: HTTPCookie) {
    let now = now()
    announce(state.withLock { $0.policy != .never && $0.jar.set(cookie, now: now) })
  }

  /// Removes the cookie with the same name, domain and path.
  open func deleteCookie(_ cookie: HTTPCookie) {
    announce(state.withLock { $0.jar.remove(cookie) })
  }

  /// Removes the cookies stored after `date`.
  open func removeCookies(since date: Date) {
    announce(state.withLock { $0.jar.removeAll(storedAfter: date) })
  }

  /// The cookies to send to `URL`, in the order of the header field; nil if it has no host.
  open func cookies(for URL: URL) -> [HTTPCookie]? {
    guard let url = CookieURL(URL) else { return nil }
    let now = now()
    return state.withLock { $0.jar.cookies(for: url, now: now) }
  }

  /// Stores the cookies that a response set, as far as the policy allows them.
  ///
  /// Cookies that `URL` may not set, such as those for other hosts, are left out. Without a `URL` nothing is stored.
  ///
  /// - Parameters:
  ///   - cookies: The cookies.
  ///   - URL: Where the response came from.
  ///   - mainDocumentURL: The page that the response is part of; nil if it is the page itself.
  open func setCookies(_ cookies: [HTTPCookie], for URL: URL?, mainDocumentURL: URL?) {
    setCookies(cookies, for: URL, mainDocumentURL: mainDocumentURL, policy: cookieAcceptPolicy)
  }

  /// The same under a policy that stands above the storage's own: a session's.
  package final func setCookies(_ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?, policy: HTTPCookie.AcceptPolicy) {
    guard let origin = CookieURL(url) else { return }
    let document = CookieURL(mainDocumentURL)
    let now = now()
    let isChanged = state.withLock { state in
      switch policy {
      case .never: return false
      case .always: break
      case .onlyFromMainDocumentDomain:
        let isFirstParty = document.map { CookieRules.isFirstParty(origin.host, mainDocumentHost: $0.host) } ?? true
        // As browsers do: who was accepted as a first party before may go on.
        guard isFirstParty || !state.jar.cookies(for: origin, now: now).isEmpty else { return false }
      }
      var isChanged = false
      for cookie in cookies where state.jar.set(cookie, from: origin, now: now) { isChanged = true }
      return isChanged
    }
    announce(isChanged)
  }

  /// Which cookies are taken. Default: `.always`, as Apple documents. A session's policy stands above it.
  open var cookieAcceptPolicy: HTTPCookie.AcceptPolicy {
    get { state.withLock { $0.policy } }
    set {
      let isChanged = state.withLock { state in
        defer { state.policy = newValue }
        return state.policy != newValue
      }
      guard isChanged else { return }
      NotificationCenter.default.post(name: .NSHTTPCookieManagerAcceptPolicyChanged, object: self)
    }
  }

  /// Every cookie that hasn't ended, sorted by the descriptors, the first of which counts most.
  open func sortedCookies(using sortOrder: [NSSortDescriptor]) -> [HTTPCookie] {
    (cookies ?? []).sorted { left, right in
      for descriptor in sortOrder {
        switch descriptor.compare(left, to: right) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return false
    }
  }

  /// Stores the cookies that a task's response set. The base class forwards to `setCookies(_:for:mainDocumentURL:)`.
  open func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
    let request = task.currentRequest ?? task.originalRequest
    setCookies(cookies, for: request?.url, mainDocumentURL: request?.mainDocumentURL)
  }

  /// Looks up the cookies for a task. The base class forwards to `cookies(for:)` with the task's current URL.
  open func getCookiesFor(_ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void) {
    let url = (task.currentRequest ?? task.originalRequest)?.url
    completionHandler(url.flatMap { cookies(for: $0) })
  }

  /// Looks up the cookies for a task. The base class forwards to the form with a completion handler.
  open func cookies(for task: URLSessionTask) async -> [HTTPCookie]? {
    await withCheckedContinuation { continuation in
      getCookiesFor(task) { continuation.resume(returning: $0) }
    }
  }

  private func announce(_ isChanged: Bool) {
    guard isChanged else { return }
    NotificationCenter.default.post(name: .NSHTTPCookieManagerCookiesChanged, object: self)
  }
}
