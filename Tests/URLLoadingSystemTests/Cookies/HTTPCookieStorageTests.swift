import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

struct HTTPCookieStorageTests {
  /// A clock that the test moves.
  private final class ManualDate: Sendable {
    private let seconds = Mutex(1_000_000.0)
    var date: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    func advance(_ step: Double) { seconds.withLock { $0 += step } }
  }

  private let clock = ManualDate()
  private let storage: HTTPCookieStorage

  init() {
    let clock = clock
    storage = HTTPCookieStorage(now: { clock.date })
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  /// Stores what a response from `source` set.
  private func receive(_ fields: String..., from source: String, document: String? = nil) throws {
    let origin = try url(source)
    let cookies = HTTPCookie.cookies(setCookieFields: fields, for: origin, now: clock.date)
    storage.setCookies(cookies, for: origin, mainDocumentURL: try document.map { try url($0) })
  }

  private func sent(to target: String) throws -> String {
    HTTPCookie.requestHeaderFields(with: try #require(storage.cookies(for: try url(target))))["Cookie"] ?? ""
  }

  @Test func hostCookiesGoToTheirHostOnly() throws {
    try receive("a=1", from: "http://example.test/")
    #expect(try sent(to: "http://example.test/x") == "a=1")
    #expect(try sent(to: "http://EXAMPLE.test/x") == "a=1")
    #expect(try sent(to: "http://www.example.test/") == "")
    #expect(try sent(to: "http://badexample.test/") == "")
  }

  @Test func domainCookiesGoToTheHostsBelow() throws {
    try receive("a=1; Domain=example.test", from: "http://www.example.test/")
    #expect(try sent(to: "http://example.test/") == "a=1")
    #expect(try sent(to: "http://deep.www.example.test/") == "a=1")
    #expect(try sent(to: "http://notexample.test/") == "")
  }

  @Test(arguments: [
    ("/docs", "/docs", true), ("/docs", "/docs/", true), ("/docs", "/docs/a", true), ("/docs", "/docsearch", false),
    ("/docs/", "/docs", false),
    ("/docs/", "/docs/a", true), ("/", "/any", true),
  ])
  func pathsMatchByDirectories(_ cookiePath: String, _ path: String, _ isSent: Bool) throws {
    try receive("a=1; Path=\(cookiePath)", from: "http://example.test/")
    #expect(try sent(to: "http://example.test\(path)") == (isSent ? "a=1" : ""))
  }

  @Test func secureCookiesNeedASecureConnection() throws {
    try receive("a=1; Secure", from: "https://example.test/")
    #expect(try sent(to: "http://example.test/") == "")
    #expect(try sent(to: "https://example.test/") == "a=1")
    #expect(try sent(to: "wss://example.test/") == "a=1")
  }

  @Test func insecureResponsesCannotSetOrShadowSecureCookies() throws {
    try receive("a=1; Secure", from: "http://example.test/")
    #expect(storage.cookies?.isEmpty == true)
    try receive("a=1; Secure", from: "https://example.test/")
    try receive("a=2; Domain=example.test", from: "http://example.test/")
    #expect(try sent(to: "https://example.test/") == "a=1")
  }

  @Test func orderIsLongestPathThenOldest() throws {
    try receive("first=1; Path=/", "deep=2; Path=/a/b", "second=3; Path=/", from: "http://example.test/")
    try receive("first=4; Path=/", from: "http://example.test/")
    #expect(try sent(to: "http://example.test/a/b/c") == "deep=2; first=4; second=3")
  }

  @Test func expiryIsKeptAndDeletes() throws {
    try receive("a=1; Max-Age=10", "b=2", from: "http://example.test/")
    clock.advance(9)
    #expect(try sent(to: "http://example.test/") == "a=1; b=2")
    clock.advance(1)
    #expect(try sent(to: "http://example.test/") == "b=2")
    #expect(storage.cookies?.map(\.name) == ["b"])
    try receive("b=; Max-Age=0", from: "http://example.test/")
    #expect(storage.cookies?.isEmpty == true)
  }

  @Test func portsLimitWhereACookieGoes() throws {
    storage.setCookie(
      try #require(
        HTTPCookie(properties: [.name: "a", .value: "1", .path: "/", .domain: "example.test", .port: "80,8080", .version: "1"])))
    #expect(try sent(to: "http://example.test/") == "a=1")
    #expect(try sent(to: "http://example.test:8080/") == "a=1")
    #expect(try sent(to: "http://example.test:81/") == "")
  }

  @Test func otherPeoplesDomainsAreRefused() throws {
    try receive("a=1; Domain=other.test", "b=1; Domain=www.example.test", from: "http://example.test/")
    #expect(storage.cookies?.isEmpty == true)
  }

  @Test(arguments: [("com", "http://example.com/"), ("co.uk", "http://example.co.uk/"), ("com.au", "http://a.b.com.au/")])
  func publicSuffixesAreRefused(_ domain: String, _ source: String) throws {
    try receive("a=1; Domain=\(domain)", from: source)
    #expect(storage.cookies?.isEmpty == true)
  }

  @Test func singleLabelHostsMaySetTheirOwn() throws {
    try receive("a=1; Domain=localhost", from: "http://localhost:8080/")
    #expect(try sent(to: "http://localhost/") == "a=1")
  }

  @Test func prefixesAreHeldToTheirPromise() throws {
    try receive("__Secure-a=1", "__Host-b=1; Secure; Path=/; Domain=example.test", "__Host-c=1; Secure", from: "https://example.test/x/y")
    #expect(storage.cookies?.isEmpty == true)
    try receive("__Secure-a=1; Secure", "__Host-b=1; Secure; Path=/", from: "https://example.test/x/y")
    #expect(storage.cookies?.map(\.name) == ["__Secure-a", "__Host-b"])
  }

  @Test func neverTakesNothing() throws {
    storage.cookieAcceptPolicy = .never
    try receive("a=1", from: "http://example.test/")
    storage.setCookie(try #require(HTTPCookie(properties: [.name: "a", .value: "1", .path: "/", .domain: "example.test"])))
    #expect(storage.cookies?.isEmpty == true)
  }

  @Test func thirdPartiesAreRefusedUnlessKnown() throws {
    storage.cookieAcceptPolicy = .onlyFromMainDocumentDomain
    try receive("a=1", from: "http://ads.tracker.test/", document: "http://www.example.test/")
    #expect(storage.cookies?.isEmpty == true)
    try receive("a=1", from: "http://api.example.test/", document: "http://www.example.test/")
    try receive("b=1", from: "http://ads.tracker.test/")
    try receive("c=1", from: "http://ads.tracker.test/", document: "http://www.example.test/")
    #expect(storage.cookies?.map(\.name) == ["a", "b", "c"])
  }

  @Test func sessionPolicyStandsAboveTheStorages() throws {
    let origin = try url("http://example.test/")
    let cookies = HTTPCookie.cookies(setCookieFields: ["a=1"], for: origin, now: clock.date)
    storage.setCookies(cookies, for: origin, mainDocumentURL: nil, policy: .never)
    #expect(storage.cookies?.isEmpty == true)
    storage.cookieAcceptPolicy = .never
    storage.setCookies(cookies, for: origin, mainDocumentURL: nil, policy: .always)
    #expect(storage.cookies?.count == 1)
  }

  @Test func removingSinceADateKeepsOlderOnes() throws {
    try receive("old=1", from: "http://example.test/")
    let date = clock.date
    clock.advance(1)
    try receive("new=1", from: "http://example.test/")
    storage.removeCookies(since: date)
    #expect(storage.cookies?.map(\.name) == ["old"])
  }

  @Test func deletingNeedsNoSameObject() throws {
    try receive("a=1", from: "http://example.test/")
    storage.deleteCookie(try #require(HTTPCookie(properties: [.name: "a", .value: "other", .path: "/", .domain: "example.test"])))
    #expect(storage.cookies?.isEmpty == true)
  }

  @Test func numberPerDomainIsBounded() throws {
    for index in 0..<200 { try receive("c\(index)=1", from: "http://example.test/") }
    let names = storage.cookies?.map(\.name) ?? []
    #expect(names.count == 180)
    #expect(names.first == "c20")
    #expect(names.last == "c199")
  }

  @Test func sortingFollowsTheDescriptors() throws {
    try receive("b=1", "a=2", "a=1; Path=/x", from: "http://example.test/")
    let sorted = storage.sortedCookies(using: [
      NSSortDescriptor(keyPath: \HTTPCookie.name, ascending: true), NSSortDescriptor(keyPath: \HTTPCookie.value, ascending: false),
    ])
    #expect(sorted.map { $0.name + $0.value } == ["a2", "a1", "b1"])
  }

  @Test func changesAreAnnounced() throws {
    let count = Mutex(0)
    let observers = [NSNotification.Name.NSHTTPCookieManagerCookiesChanged, .NSHTTPCookieManagerAcceptPolicyChanged].map { name in
      NotificationCenter.default.addObserver(forName: name, object: storage, queue: nil) { _ in count.withLock { $0 += 1 } }
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    try receive("a=1", from: "http://example.test/")
    try receive("a=1; Domain=other.test", from: "http://example.test/")
    #expect(count.withLock { $0 } == 1)
    storage.cookieAcceptPolicy = .onlyFromMainDocumentDomain
    storage.cookieAcceptPolicy = .onlyFromMainDocumentDomain
    #expect(count.withLock { $0 } == 2)
    storage.removeCookies(since: .distantPast)
    #expect(count.withLock { $0 } == 3)
  }

  @Test func groupsShareAStorageByName() {
    let first = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "group.one")
    #expect(first === HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "group.one"))
    #expect(first !== HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "group.two"))
    #expect(first !== HTTPCookieStorage.shared)
  }
}
