import Foundation
import LoadingModel
import ProtocolRules
import Stores

/// Keeps cookies: on disk for `shared` and for group containers, in memory for a storage made by `init()`.
///
/// Cookies with an expiry date survive the process and are seen by other processes of the app at once; those without one live in memory and
/// end with the process, as Apple documents. Every member may be used from any thread. A change to a storage on disk is there when the
/// member returns, even if the process is killed after that.
///
/// A change posts `NSHTTPCookieManagerCookiesChanged`: on the thread that made it, or for a change by a load or another process, on a
/// thread of the system's own. Sessions call the members that take a task on subclasses, so these are the ones to override, as Apple
/// documents.
open class HTTPCookieStorage: NSObject, @unchecked Sendable {
  // @unchecked: `policy` is a mutex, `store` immutable and thread-safe itself; subclasses answer for what they add.
  private static let sharedStorage = HTTPCookieStorage(.standard)
  private static let groupStorages = Mutex<[String: HTTPCookieStorage]>([:])

  let store: CookieStore
  private let policy = Mutex(HTTPCookie.AcceptPolicy.always)

  init(_ store: CookieStore) {
    self.store = store
    super.init()
    observeStore()
  }

  convenience init(now: @escaping @Sendable () -> Date) { self.init(CookieStore(now: now)) }

  /// A new storage, empty and in memory alone.
  public override init() {
    store = CookieStore()
    super.init()
    observeStore()
  }

  private func observeStore() {
    store.observe { [weak self] in
      guard let self else { return }
      NotificationCenter.default.post(name: .NSHTTPCookieManagerCookiesChanged, object: self)
    }
  }

  /// The storage of the app: every process of the app has the same cookies.
  ///
  /// It lies in `$XDG_DATA_HOME/<app>/cookies.sqlite`, readable by its owner alone. Where that can't be written it lives in memory.
  open class var shared: HTTPCookieStorage { sharedStorage }

  /// The storage that all apps of one user share that know `identifier`.
  open class func sharedCookieStorage(forGroupContainerIdentifier identifier: String) -> HTTPCookieStorage {
    groupStorages.withLock { storages in
      if let storage = storages[identifier] { return storage }
      let storage = HTTPCookieStorage(.group(identifier))
      storages[identifier] = storage
      return storage
    }
  }

  /// All cookies that haven't expired, oldest first.
  open var cookies: [HTTPCookie]? { store.read { jar, now in jar.all(now: now) }.map { HTTPCookie($0) } }

  /// Stores a cookie in place of the one with the same name, domain and path, unless the policy is `.never`.
  ///
  /// A cookie that has ended only removes the one it would replace. Unlike a server, the app may store any cookie for any domain, however
  /// long its life.
  open func setCookie(_ cookie: HTTPCookie) {
    guard (CookieContext.current?.policy ?? cookieAcceptPolicy) != .never else { return }
    let attributes = cookie.attributes
    store.write { jar, now in jar.set(attributes, now: now) }
  }

  /// Removes the cookie with the same name, domain and path.
  open func deleteCookie(_ cookie: HTTPCookie) {
    let attributes = cookie.attributes
    store.write { jar, now in jar.remove(attributes, now: now) }
  }

  /// Removes the cookies stored after `date`.
  open func removeCookies(since date: Date) {
    store.write { jar, _ in jar.removeAll(storedAfter: date) }
  }

  /// The cookies to send to `URL`, in the order of the header field; nil if it has no host.
  ///
  /// SameSite isn't applied here, where the requesting site is unknown, unless a member that takes a task calls this one.
  open func cookies(for URL: URL) -> [HTTPCookie]? {
    guard let url = CookieURL(URL) else { return nil }
    guard let request = CookieContext.current?.request(for: url) else {
      return store.read { jar, now in jar.cookies(for: url, now: now) }.map { HTTPCookie($0) }
    }
    let party = request.party(store.suffixes)
    return store.read { jar, now in jar.cookies(for: url, partition: request.partition, now: now) { party } }.map { HTTPCookie($0) }
  }

  /// Stores the cookies that a response set, as far as the policy allows them: a session's own, where a member that takes a task calls this
  /// one.
  ///
  /// Cookies that `URL` may not set, such as those for other hosts, are left out. Without a `URL` nothing is stored.
  ///
  /// - Parameters:
  ///   - cookies: The cookies.
  ///   - URL: Where the response came from.
  ///   - mainDocumentURL: The page that the response is part of; nil if it is the page itself.
  open func setCookies(_ cookies: [HTTPCookie], for URL: URL?, mainDocumentURL: URL?) {
    setCookies(cookies, for: URL, mainDocumentURL: mainDocumentURL, policy: CookieContext.current?.policy ?? cookieAcceptPolicy)
  }

  /// As `setCookies(_:for:mainDocumentURL:)`, under `policy`, the session's, instead of the storage's own.
  package final func setCookies(_ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?, policy: HTTPCookie.AcceptPolicy) {
    guard let origin = CookieURL(url), policy != .never else { return }
    let context = CookieContext.current
    let request =
      context?.request(for: origin, mainDocument: mainDocumentURL) ?? CookieRequest(url: origin, mainDocument: mainDocumentURL)
    let suffixes = store.suffixes
    let attributes = cookies.map { cookie in
      var attributes = cookie.attributes
      if context != nil { attributes.partition = request.partition }
      return attributes
    }
    let party = request.party(suffixes)
    store.write { jar, now in
      jar.receive(attributes, from: origin, party: party, acceptance: policy.acceptance, suffixes: suffixes, now: now)
    }
  }

  /// Which cookies are taken. Default: `.always`, as Apple documents. A session's policy overrides it.
  open var cookieAcceptPolicy: HTTPCookie.AcceptPolicy {
    get { policy.withLock { $0 } }
    set {
      let isChanged = policy.withLock { policy in
        defer { policy = newValue }
        return policy != newValue
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

  /// Stores the cookies that a task's response set, as far as the policy of the task's session allows them. The base class forwards to
  /// `setCookies(_:for:mainDocumentURL:)`.
  open func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
    let request = task.currentRequest ?? task.originalRequest
    CookieContext.$current.withValue(CookieContext(task)) {
      setCookies(cookies, for: request?.url, mainDocumentURL: request?.mainDocumentURL)
    }
  }

  /// Looks up the cookies for a task. The base class forwards to `cookies(for:)` with the task's current URL.
  @preconcurrency
  open func getCookiesFor(_ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void) {
    let url = (task.currentRequest ?? task.originalRequest)?.url
    completionHandler(CookieContext.$current.withValue(CookieContext(task)) { url.flatMap { cookies(for: $0) } })
  }

  /// Looks up the cookies for a task. The base class forwards to the form with a completion handler.
  open func cookies(for task: URLSessionTask) async -> [HTTPCookie]? {
    await firstAnswer { getCookiesFor(task, completionHandler: $0) }
  }
}

extension HTTPCookie.AcceptPolicy {
  var acceptance: CookieAcceptPolicy {
    switch self {
    case .always: .always
    case .never: .never
    case .onlyFromMainDocumentDomain: .onlyFromMainDocumentDomain
    }
  }
}
