import ChildProcesses
import Foundation
import LoadingModel
import ProtocolRules
import Testing

@testable import Stores

/// What `FullDiskTests` has child processes do, each on a small disk of its own.
@Suite(.enabled(if: SmallDisk.here != nil, "only in a child process")) struct FullDiskChildTests {
  private func disk() throws -> SmallDisk { try #require(SmallDisk.here) }

  /// Seconds that have passed.
  private final class Time: Sendable {
    private let passed = Mutex(0.0)
    func pass(_ seconds: Double) { passed.withLock { $0 += seconds } }
    var now: Date { CacheSamples.noon.addingTimeInterval(passed.withLock { $0 }) }
  }

  // MARK: cookies

  private func set(_ name: String, in store: CookieStore) {
    let cookie = Cookie(name: name, value: name, domain: "a.test", path: "/", expires: Date().addingTimeInterval(3600))
    store.write { jar, now in jar.set(cookie, now: now) }
  }

  private func receive(_ name: String, in store: CookieStore) async throws {
    let request = CookieRequest(url: try #require(CookieURL(URL(string: "http://a.test/"))))
    await withCheckedContinuation { done in
      store.receive(["\(name)=\(name); Max-Age=3600"], for: request, acceptance: .always) { done.resume() }
    }
  }

  private func names(_ store: CookieStore) -> Set<String> { store.read { jar, now in Set(jar.all(now: now).map(\.cookie.name)) } }

  /// So much that the database's log has no room left for it.
  private func setMany(_ names: ClosedRange<Int>, in store: CookieStore) { for number in names { set("n\(number)", in: store) } }

  @Test func cookiesOutliveAFullDisk() async throws {
    let disk = try disk()
    let file = disk.folder.appending(path: "data/cookies.sqlite")
    let store = CookieStore(file: file)
    set("before", in: store)
    try disk.fill()
    setMany(1...30, in: store)
    try await receive("received", in: store)
    let all = Set((1...30).map { "n\($0)" } + ["before", "received"])
    #expect(names(store) == all)
    let failure = try #require(store.failure)
    #expect(failure.cause == .fullDisk && failure.description.contains("full"))
    disk.makeRoom()
    set("after", in: store)
    #expect(store.failure == nil)
    #expect(names(CookieStore(file: file)) == all.union(["after"]))
  }

  @Test func cookieStoreOpenedOnAFullDiskIsReadWhenThereIsRoom() async throws {
    let disk = try disk()
    let file = disk.folder.appending(path: "data/cookies.sqlite")
    set("before", in: CookieStore(file: file))
    // Files that are there only while a process has the database open.
    for suffix in ["-wal", "-shm"] { unlink(file.path(percentEncoded: false) + suffix) }
    unlink(file.path(percentEncoded: false) + ".changes")
    try disk.fill()
    let store = CookieStore(file: file)
    try await receive("received", in: store)
    #expect(names(store).contains("received"))
    #expect(store.failure?.cause == .fullDisk)
    disk.makeRoom()
    set("after", in: store)
    #expect(names(store) == ["before", "received", "after"])
    #expect(store.failure == nil)
    let other = CookieStore(file: file)
    #expect(names(other) == ["before", "received", "after"])
    // The counter is shared again.
    set("later", in: other)
    #expect(names(store).contains("later"))
  }

  // MARK: cache

  private func page(_ name: String) -> String { "http://a.test/\(name)" }

  private func holds(_ name: String, _ cache: ResponseCache) -> Bool { !cache.candidatesNow(for: page(name)).isEmpty }

  private func cache(_ disk: SmallDisk, _ time: Time, memory: Int = 0) -> ResponseCache {
    ResponseCache(
      memoryCapacity: memory, diskCapacity: 2 << 20, directory: disk.folder.appending(path: "cache"), now: { time.now })
  }

  /// So much that the disk is surely asked for more room.
  private func storeMany(_ names: ClosedRange<Int>, in cache: ResponseCache) {
    for number in names { cache.store(CacheSamples.response(page("small\(number)")), body: CacheSamples.body(number, count: 10_000)) }
  }

  @Test func cacheOutlivesAFullDisk() async throws {
    let (disk, time) = (try disk(), Time())
    let cache = cache(disk, time)
    for name in ["kept", "removed"] { cache.store(CacheSamples.response(page(name)), body: CacheSamples.body(1, count: 20_000)) }
    cache.flushNow()
    #expect(cache.failure == nil)
    try disk.fill()
    storeMany(1...20, in: cache)
    #expect(await cache.receive(CacheSamples.response(page("large")), [CacheSamples.body(3, count: 90_000)]) == false)
    cache.removeAll(url: page("removed"))
    cache.flushNow()
    #expect(cache.failure?.cause == .fullDisk)
    #expect(!holds("removed", cache) && !holds("large", cache))
    let kept = try #require(cache.candidatesNow(for: page("kept")).first)
    #expect(cache.bodyNow(kept) == CacheSamples.body(1, count: 20_000))
    disk.makeRoom()
    cache.store(CacheSamples.response(page("after")), body: CacheSamples.body(4, count: 20_000))
    cache.flushNow()
    #expect(cache.failure == nil)
    let other = self.cache(disk, time)
    #expect(holds("kept", other) && holds("after", other) && !holds("removed", other) && !holds("large", other))
    #expect(try await other.wholeBody(#require(other.candidatesNow(for: page("after")).first)) == CacheSamples.body(4, count: 20_000))
  }

  @Test func whatAFullDiskRefusedToReplaceDoesNotComeBack() async throws {
    let (disk, time) = (try disk(), Time())
    let cache = cache(disk, time, memory: 1_000_000)
    let (old, new) = (CacheSamples.response(page("a"), etag: "\"old\""), CacheSamples.response(page("a"), etag: "\"new\""))
    cache.store(old, body: Data("old".utf8))
    cache.flushNow()
    try disk.fill()
    storeMany(1...20, in: cache)
    cache.store(new, body: Data("new".utf8))
    cache.flushNow()
    let found = cache.candidatesNow(for: page("a"))
    #expect(found.map { $0.head.headers.first("ETag") } == ["\"new\""])
    #expect(found.first.flatMap { cache.bodyNow($0) } == Data("new".utf8))
    disk.makeRoom()
    cache.flushNow()
    #expect(!self.cache(disk, time).candidatesNow(for: page("a")).contains { $0.head.headers.first("ETag") == "\"old\"" })
  }

  @Test func cacheOpenedOnAFullDiskComesIntoUseWhenThereIsRoom() async throws {
    let (disk, time) = (try disk(), Time())
    try disk.fill()
    let cache = cache(disk, time, memory: 1_000_000)
    cache.store(CacheSamples.response(page("a")), body: Data("a".utf8))
    cache.flushNow()
    #expect(cache.failure?.cause == .fullDisk)
    #expect(holds("a", cache))
    disk.makeRoom()
    time.pass(60)
    cache.store(CacheSamples.response(page("b")), body: Data("b".utf8))
    cache.flushNow()
    #expect(cache.failure == nil)
    #expect(holds("a", cache) && holds("b", cache))
    #expect(holds("b", self.cache(disk, time)))
  }

  // MARK: credentials and hosts

  @Test func credentialsOutliveAFullDisk() throws {
    let disk = try disk()
    let location = StoreLocation(
      environment: ["URL_LOADING_SYSTEM_HOME": disk.folder.path(percentEncoded: false)], home: disk.folder, app: "tests")
    let environment = ["URL_LOADING_SYSTEM_HOME": disk.folder.path(percentEncoded: false)]
    let store = CredentialStore(location, environment: environment)
    for user in ["ann", "bob", "eve"] { store.keep(.sample(user, "old")) }
    let file = CredentialFile(location)
    try disk.fill()
    store.keep(.sample("ann", "new"))
    store.keep(.sample("carl", "new"))
    store.forget(user: "eve", in: .sample())
    func passwords(_ list: CredentialList) -> [String: String] {
      Dictionary(list.credentials.map { ($0.user, $0.password) }, uniquingKeysWith: { $1 })
    }
    #expect(passwords(store.load().list) == ["ann": "new", "bob": "old", "carl": "new"])
    #expect(passwords(try file.read()) == ["ann": "old", "bob": "old", "eve": "old"])
    #expect { _ = try file.update { $0.keep(.sample("dora")) } } throws: { ($0 as? StoreFailure)?.cause == .fullDisk }
    disk.makeRoom()
    store.keep(.sample("dora", "new"))
    let all = ["ann": "new", "bob": "old", "carl": "new", "dora": "new"]
    #expect(passwords(store.load().list) == all)
    #expect(passwords(try file.read()) == all)
  }

  @Test func hostsThatAskForTLSOutliveAFullDisk() async throws {
    let disk = try disk()
    let file = disk.folder.appending(path: "data/hsts.sqlite")
    let store = HSTSStore(file: file)
    let policy = StrictTransportSecurity(maxAge: 3600, includesSubdomains: false)
    func holds(_ host: String, _ store: HSTSStore) async -> Bool {
      await store.refresh()
      return store.isKnownToRequireTLS(host, now: Date())
    }
    store.note(policy, from: "before.test", now: Date())
    await store.flush()
    try disk.fill()
    for number in 1...40 { store.note(policy, from: "n\(number).test", now: Date()) }
    await store.flush()
    #expect(await holds("n40.test", store))
    disk.makeRoom()
    store.note(policy, from: "after.test", now: Date())
    await store.flush()
    let other = HSTSStore(file: file)
    for host in ["before.test", "n1.test", "n40.test", "after.test"] { #expect(await holds(host, other), "\(host)") }
  }
}
