import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

@Suite final class CookieJarTests {
  private var jar = CookieJar()
  private let start = Date(timeIntervalSince1970: 1_800_000_000)

  private func url(_ text: String) throws -> CookieURL { try #require(CookieURL(URL(string: text))) }

  @discardableResult
  private func receive(
    _ fields: String..., from source: String, party: SameSiteContext = .firstParty, partition: String? = nil, at seconds: Double = 0
  ) throws -> [CookieChange] {
    let (origin, now) = (try url(source), start.addingTimeInterval(seconds))
    let cookies = fields.compactMap { field in
      var cookie = SetCookieField.parse(field, from: origin, now: now)
      cookie?.partition = partition
      return cookie
    }
    return jar.receive(
      cookies, from: origin, party: party, acceptance: .always, suffixes: GuessedPublicSuffixes(), now: now)
  }

  private func sent(
    to target: String, party: SameSiteContext = .firstParty, partition: String? = nil, at seconds: Double = 0
  ) throws -> String? {
    jar.field(for: try url(target), partition: partition, now: start.addingTimeInterval(seconds)) { party }
  }

  /// What the server set 10 s after the start, and what a request brings that was stored at the given second.
  struct Brought: Sendable {
    let (set, brought, stored, expected): ([String], [String], Double, String?)

    init(_ set: [String], _ brought: [String], at stored: Double, _ expected: String?) {
      (self.set, self.brought, self.stored, self.expected) = (set, brought, stored, expected)
    }
  }

  private static let brought: [Brought] = [
    Brought([], [], at: 0, nil), Brought(["a=1"], [], at: 0, "a=1"), Brought([], ["b=2"], at: 0, "b=2"),
    Brought(["a=1"], ["b=2"], at: 0, "a=1; b=2"), Brought(["a=1", "c=3"], ["a=9", "b=2", "c="], at: 5, "a=1; c=3; b=2"),
    Brought(["a=1"], ["aa=2", "b=x=y"], at: 20, "a=1; aa=2; b=x=y"),
    // Of those without an end the later one is sent, and the jar's if both are of one moment.
    Brought(["a=1", "c=3"], ["a=2"], at: 20, "c=3; a=2"), Brought(["a=1"], ["a=2"], at: 10, "a=1"),
    // One with an end is there for the app as well.
    Brought(["a=1; Max-Age=1000"], ["a=2"], at: 20, "a=1"),
    Brought(["a=1; Max-Age=1000", "a=3; Path=/f"], ["a=2"], at: 20, "a=3; a=1"),
  ]

  @Test(arguments: brought) func broughtCookiesGoBesideStoredOnes(_ sample: Brought) throws {
    for field in sample.set { try receive(field, from: "https://a.test/", at: 10) }
    let attached = sample.brought.map { AttachedCookie($0, stored: start.addingTimeInterval(sample.stored)) }
    #expect(jar.field(for: try url("https://a.test/f"), beside: attached, now: start.addingTimeInterval(30)) == sample.expected)
  }

  @Test func hostsWithoutCookiesAreKnownWithoutALook() throws {
    #expect(!jar.mayHold("a.test"))
    try receive("own=1", from: "https://a.test/")
    try receive("shared=2; Domain=b.test", from: "https://www.b.test/")
    #expect(jar.mayHold("a.test"))
    #expect(jar.mayHold("b.test"))
    #expect(jar.mayHold("deep.www.b.test"))
    #expect(!jar.mayHold("other.test"))
    #expect(!jar.mayHold("ab.test"))
    #expect(!jar.mayHold("127.0.0.1"))
    try receive("own=1; Max-Age=0", from: "https://a.test/")
    #expect(!jar.mayHold("a.test"))
  }

  /// What the disk has of a cookie is told by its moment, which a clock that was set back leaves in the future.
  @Test func removalCoversTheCookieThoughTheClockWasSetBack() throws {
    try receive("a=1; Max-Age=9000", "b=2; Max-Age=9000", from: "https://a.test/", at: 600)
    let stored = start.addingTimeInterval(600)
    let gone = try receive("a=; Max-Age=0", from: "https://a.test/")
    guard case .remove(let key, let moment)? = gone.first else {
      Issue.record("the cookie isn't removed: \(gone)")
      return
    }
    #expect(key.name == "a" && moment == stored)
    let replaced = try receive("b=3; Max-Age=9000", from: "https://a.test/")
    guard case .put(let newer) = try #require(replaced.last) else {
      Issue.record("the cookie isn't stored: \(replaced)")
      return
    }
    #expect(newer.stored == stored)
  }

  /// The disk refused the change, is read anew, and still has the cookie that was replaced.
  @Test func sessionCookieStaysInThePlaceOfAPersistentOneThoughTheClockWasSetBack() throws {
    try receive("a=1; Max-Age=9000", from: "https://a.test/", at: 600)
    let onDisk = jar.all(now: start)
    let refused = try receive("a=2", from: "https://a.test/")
    _ = jar.mirror(onDisk, now: start)
    jar.replay(refused.filter { if case .remove = $0 { true } else { false } })
    #expect(try sent(to: "https://a.test/") == "a=2")
  }

  @Test func sameSiteCookiesStayHome() throws {
    try receive("strict=1; SameSite=Strict", "lax=2; SameSite=lax", "none=3; SameSite=None", "plain=4", from: "https://a.test/")
    #expect(try sent(to: "https://a.test/") == "strict=1; lax=2; none=3; plain=4")
    #expect(try sent(to: "https://a.test/", party: .navigation) == "lax=2; none=3; plain=4")
    #expect(try sent(to: "https://a.test/", party: .thirdParty) == "none=3; plain=4")
  }

  @Test func thirdPartiesCannotSetSameSiteCookies() throws {
    try receive("strict=1; SameSite=Strict", "lax=2; SameSite=Lax", "plain=3", from: "https://a.test/", party: .thirdParty)
    #expect(try sent(to: "https://a.test/") == "plain=3")
    try receive("strict=1; SameSite=Strict", from: "https://a.test/", party: .navigation)
    #expect(try sent(to: "https://a.test/") == "plain=3; strict=1")
  }

  @Test func partitionsDoNotSeeEachOther() throws {
    try receive("a=common", from: "https://a.test/")
    try receive("a=one", from: "https://a.test/", partition: "https://one.test")
    #expect(try sent(to: "https://a.test/") == "a=common")
    #expect(try sent(to: "https://a.test/", partition: "https://one.test") == "a=one")
    #expect(try sent(to: "https://a.test/", partition: "https://two.test") == nil)
    #expect(jar.count == 2)
  }

  @Test func lifeIsBoundedTo400Days() throws {
    let day = 86_400.0
    try receive("age=1; Max-Age=99999999", "date=2; Expires=Fri, 31 Dec 9999 23:59:59 GMT", from: "http://a.test/")
    #expect(try sent(to: "http://a.test/", at: 399.9 * day) == "age=1; date=2")
    #expect(try sent(to: "http://a.test/", at: 400 * day) == nil)
  }

  @Test func overlongAttributesAreIgnored() throws {
    let path = "/" + String(repeating: "p", count: 1024)
    try receive("a=1; Path=\(path)", "b=2; Domain=\(String(repeating: "d", count: 1025))", from: "http://a.test/x")
    #expect(try sent(to: "http://a.test/") == "a=1; b=2")
  }

  @Test func hostPrefixNeedsItsPathNamed() throws {
    try receive("__Host-a=1; Secure", "__HOST-b=2; Secure; Path=/", from: "https://a.test/")
    #expect(try sent(to: "https://a.test/") == "__HOST-b=2")
  }

  @Test func publicSuffixThatIsTheHostGetsAHostCookie() throws {
    try receive("a=1; Domain=localhost", from: "http://localhost/")
    #expect(jar.all(now: start).map(\.cookie.domain) == ["localhost"])
  }

  @Test func fullDomainDropsWhatWasUsedLongestAgo() throws {
    for index in 0..<CookieJar.maximumPerDomain { try receive("c\(index)=1; Path=/\(index)", from: "https://a.test/", at: 1) }
    _ = try sent(to: "https://a.test/0", at: 5)
    let changes = try receive("new=1; Path=/new", from: "https://a.test/", at: 6)
    #expect(jar.count == CookieJar.maximumPerDomain)
    #expect(try sent(to: "https://a.test/0", at: 7) == "c0=1")
    #expect(try sent(to: "https://a.test/1", at: 7) == nil)
    #expect(changes.count == 2)
  }

  @Test func fullDomainKeepsSecureCookiesLonger() throws {
    try receive("safe=1; Secure; Path=/safe", from: "https://a.test/")
    for index in 0..<CookieJar.maximumPerDomain { try receive("c\(index)=1; Path=/\(index)", from: "https://a.test/", at: 1) }
    #expect(try sent(to: "https://a.test/safe", at: 2) == "safe=1")
  }

  /// RFC 6265bis, 5.7, step 16: as long as the secure cookie is there, whatever has replaced or removed it.
  @Test func insecureConnectionHidesNoSecureCookie() throws {
    func isTaken(at seconds: Double) throws -> Bool {
      let isTaken = try !receive("id=insecure", from: "http://a.test/", at: seconds).isEmpty
      if isTaken { try receive("id=; Max-Age=0", from: "http://a.test/", at: seconds) }
      return isTaken
    }
    #expect(try isTaken(at: 0))
    try receive("id=1; Secure; Max-Age=100", from: "https://a.test/", at: 1)
    #expect(try !isTaken(at: 2))
    try receive("id=2; Secure; Max-Age=100", from: "https://a.test/", at: 3)
    try receive("id=3; Secure; Domain=a.test", from: "https://www.a.test/", at: 3)
    #expect(try !isTaken(at: 4))
    try receive("id=4", from: "https://a.test/", at: 5)
    #expect(try !isTaken(at: 6))
    try receive("id=; Max-Age=0; Domain=a.test", from: "https://www.a.test/", at: 7)
    #expect(try isTaken(at: 8))
    try receive("id=5; Secure; Max-Age=10", from: "https://a.test/", at: 9)
    #expect(try !isTaken(at: 10))
    #expect(try !receive("other=1", from: "http://a.test/", at: 11).isEmpty)
    _ = jar.takeEnded(start.addingTimeInterval(60))
    #expect(try isTaken(at: 60))
  }

  @Test func absoluteNamesSetNoCookiesForNamesAboveThem() throws {
    try receive("a=1; Domain=co.uk.", "b=2; Domain=shop.co.uk.", "c=3", from: "http://one.shop.co.uk./")
    try receive("d=4; Domain=shop.co.uk.", "e=5; Domain=co.uk.", from: "http://shop.co.uk./")
    #expect(try sent(to: "http://one.shop.co.uk./") == "c=3; d=4")
    #expect(try sent(to: "http://other.co.uk./") == nil)
  }

  @Test func publicSuffixesMayEndInADot() {
    let list = PublicSuffixList("uk\nco.uk\n*.ck\n!www.ck\n") { $0 }
    for name in ["uk.", "co.uk.", "any.ck."] { #expect(list.isPublicSuffix(name)) }
    for name in ["shop.co.uk.", "www.ck."] { #expect(!list.isPublicSuffix(name)) }
    #expect(GuessedPublicSuffixes().isPublicSuffix("co.uk."))
  }

  @Test func endedCookiesMakeRoomFirst() throws {
    try receive("old=1; Path=/old", from: "https://a.test/")
    for index in 1..<CookieJar.maximumPerDomain { try receive("c\(index)=1; Max-Age=5", from: "https://a.test/", at: 1) }
    try receive("new=1", from: "https://a.test/", at: 10)
    #expect(jar.all(now: start.addingTimeInterval(10)).map(\.cookie.name) == ["old", "new"])
  }

  @Test func numberInAllIsBounded() throws {
    for index in 0..<(CookieJar.maximumCount + 5) { try receive("a=1", from: "http://h\(index).test/", at: Double(index)) }
    #expect(jar.count == CookieJar.maximumCount)
    #expect(try sent(to: "http://h4.test/") == nil)
    #expect(try sent(to: "http://h5.test/") == "a=1")
  }

  @Test func sessionCookieTakesThePersistentOneFromTheDisk() throws {
    try receive("a=1; Max-Age=60", from: "http://a.test/")
    let changes = try receive("a=2", from: "http://a.test/", at: 1)
    #expect(changes.count == 2)
    guard case .remove(_, let upTo)? = changes.first else { return #expect(Bool(false), "the disk must forget the former one") }
    #expect(upTo == start)
  }

  @Test func mirrorTakesWhatTheDiskHoldsAndKeepsSessionCookies() throws {
    try receive("session=1", "gone=2; Max-Age=60", "kept=3; Max-Age=60", from: "http://a.test/")
    var other = CookieJar()
    let cookie = Cookie(name: "theirs", value: "4", domain: "a.test", path: "/", expires: start.addingTimeInterval(60))
    _ = other.set(cookie, now: start)
    let disk = jar.all(now: start).filter { $0.cookie.name == "kept" } + other.all(now: start)
    let isChanged = jar.mirror(disk, now: start)
    #expect(isChanged)
    #expect(Set(jar.all(now: start).map(\.cookie.name)) == ["session", "kept", "theirs"])
    let isChangedAgain = jar.mirror(disk, now: start)
    #expect(!isChangedAgain)
  }

  @Test func suffixHashesOfAHostAreThoseOfItsParents() {
    var found: [String: UInt64] = [:]
    DomainHash.forEachSuffix(of: "www.example.com") { hash, suffix in found[String(suffix)] = hash }
    #expect(Set(found.keys) == ["com", "example.com", "www.example.com"])
    for (domain, hash) in found { #expect(DomainHash.of(domain) == hash) }
  }
}

@Suite struct SameSiteContextTests {
  private func party(_ host: String, _ document: String?, _ method: String = "GET", isNavigation: Bool = false) -> SameSiteContext {
    SameSiteContext(host: host, mainDocumentHost: document, method: method, isNavigation: isNavigation, suffixes: GuessedPublicSuffixes())
  }

  @Test func siteIsTheRegistrableDomain() {
    #expect(party("api.example.test", "www.example.test") == .firstParty)
    #expect(party("a.example.co.uk", "b.example.co.uk") == .firstParty)
    #expect(party("a.co.uk", "b.co.uk") == .thirdParty)
    #expect(party("10.0.0.1", "10.0.0.2") == .thirdParty)
    #expect(party("a.test", nil) == .firstParty)
  }

  /// Notes the lengths of the names that it is asked about.
  private final class NotingSuffixes: PublicSuffixes {
    let lengths = Mutex<[Int]>([])

    func isPublicSuffix(_ domain: String) -> Bool {
      lengths.withLock { $0.append(domain.utf8.count) }
      return !domain.contains(".")
    }
  }

  @Test func suffixesThatAreLongerThanAnyDomainAreNotAskedFor() {
    let suffixes = NotingSuffixes()
    let host = String(repeating: "a.", count: 1000) + "b.example"
    #expect(suffixes.registrableDomain(host) == "b.example")
    // The host itself is asked for, in case it is a public suffix.
    #expect(suffixes.lengths.withLock { $0.dropFirst().allSatisfy { $0 <= HostKind.longestName } })
  }

  @Test func redirectedDocumentIsANavigationIfItsMethodIsSafe() {
    #expect(party("a.test", "b.test", isNavigation: true) == .navigation)
    #expect(party("a.test", "b.test", "POST", isNavigation: true) == .thirdParty)
    #expect(party("a.test", "b.test", "HEAD") == .thirdParty)
  }
}
