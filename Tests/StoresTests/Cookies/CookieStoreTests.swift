import Foundation
import LoadingModel
import ProtocolRules
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct CookieStoreTests {
  private let folder = TemporaryFolder()
  private var file: URL { folder.url.appending(path: "data/cookies.sqlite") }

  private func url(_ text: String) throws -> CookieURL { try #require(CookieURL(URL(string: text))) }

  private func receive(_ fields: String..., from source: String = "http://a.test/", in store: CookieStore) async throws {
    let request = CookieRequest(url: try url(source))
    await withCheckedContinuation { done in
      store.receive(fields, for: request, acceptance: .always) { done.resume() }
    }
  }

  private func sent(to target: String = "http://a.test/", by store: CookieStore) async throws -> String? {
    let request = CookieRequest(url: try url(target))
    while true {
      if case .field(let field) = store.field(for: request) { return field }
      await withCheckedContinuation { done in store.refresh { done.resume() } }
    }
  }

  private func set(_ name: String, _ value: String, in store: CookieStore, seconds: Double? = 60) {
    let cookie = Cookie(
      name: name, value: value, domain: "a.test", path: "/", expires: seconds.map { Date().addingTimeInterval($0) })
    store.write { jar, now in jar.set(cookie, now: now) }
  }

  @Test func persistentCookiesOutliveTheStoreAndSessionCookiesDoNot() async throws {
    try await receive("kept=1; Max-Age=60; Path=/; HttpOnly; SameSite=Lax", "session=2", in: CookieStore(file: file))
    let next = CookieStore(file: file)
    #expect(try await sent(by: next) == "kept=1")
    let cookie = try #require(next.read { jar, now in jar.all(now: now).first?.cookie })
    #expect(cookie.isHTTPOnly && cookie.sameSite == "lax" && !cookie.isSessionOnly)
  }

  @Test func responseSetsABoundedNumberOfCookies() async throws {
    let store = CookieStore()
    let fields = (0..<150).flatMap { ["h\($0)=1", "without a pair", "d\($0)=1; Domain=a.test"] }
    let request = CookieRequest(url: try url("http://www.a.test/"))
    await withCheckedContinuation { done in store.receive(fields, for: request, acceptance: .always) { done.resume() } }
    let names = store.read { jar, now in jar.all(now: now).map(\.cookie.name) }
    #expect(names == (0..<90).flatMap { ["h\($0)", "d\($0)"] })
  }

  @Test func everyPropertyComesBackFromTheDisk() throws {
    var cookie = Cookie(
      name: "n", value: "v=ü", domain: ".a.test", path: "/p", expires: Date(timeIntervalSince1970: 4_000_000_000.25))
    (cookie.version, cookie.isSecure, cookie.isHTTPOnly, cookie.isSetByJavaScript) = (1, true, true, true)
    (cookie.comment, cookie.commentURL, cookie.ports) = ("why", URL(string: "http://a.test/why"), [80, 8080])
    (cookie.sameSite, cookie.partition) = ("strict", "https://top.test")
    let stored = cookie
    CookieStore(file: file).write { jar, now in jar.set(stored, now: now) }
    #expect(CookieStore(file: file).read { jar, now in jar.all(now: now).map(\.cookie) } == [stored])
  }

  @Test func storesOfOneFileSeeEachOthersChanges() async throws {
    let (first, second) = (CookieStore(file: file), CookieStore(file: file))
    set("a", "1", in: first)
    #expect(try await sent(by: second) == "a=1")
    set("b", "2", in: second)
    #expect(try await sent(by: first) == "a=1; b=2")
    let gone = Cookie(name: "a", value: "", domain: "a.test", path: "/")
    second.write { jar, now in jar.remove(gone, now: now) }
    #expect(try await sent(by: first) == "b=2")
  }

  @Test func writerThatHasNotReadYetLosesNothing() async throws {
    let (first, second) = (CookieStore(file: file), CookieStore(file: file))
    for index in 0..<20 { set("c\(index)", "1", in: index.isMultiple(of: 2) ? first : second) }
    #expect(first.read { jar, _ in jar.count } == 20)
    #expect(second.read { jar, _ in jar.count } == 20)
  }

  @Test func sessionCookiesStayThroughOthersChanges() async throws {
    let (first, second) = (CookieStore(file: file), CookieStore(file: file))
    set("own", "1", in: first, seconds: nil)
    set("theirs", "2", in: second)
    #expect(try await sent(by: first) == "own=1; theirs=2")
    #expect(try await sent(by: second) == "theirs=2")
  }

  @Test func lookUpSaysWhenTheDiskMustBeRead() async throws {
    let (first, second) = (CookieStore(file: file), CookieStore(file: file))
    let request = CookieRequest(url: try url("http://a.test/"))
    guard case .outdated = first.field(for: request) else { return #expect(Bool(false), "nothing has been read yet") }
    _ = try await sent(by: first)
    set("a", "1", in: first)
    guard case .field("a=1") = first.field(for: request) else { return #expect(Bool(false), "its own change is known") }
    set("b", "1", in: second)
    guard case .outdated = first.field(for: request) else { return #expect(Bool(false), "another's change isn't") }
  }

  @Test func changesAreAnnounced() async throws {
    let (first, second) = (CookieStore(file: file), CookieStore(file: file))
    let (changes, announce) = AsyncStream.makeStream(of: Void.self)
    first.observe { announce.yield() }
    var heard = changes.makeAsyncIterator()
    set("a", "1", in: first)
    await heard.next()
    try await receive("b=2", in: first)
    await heard.next()
    set("c", "3", in: second)
    _ = try await sent(by: first)
    await heard.next()
  }

  @Test func observerMayAskTheStore() async throws {
    let store = CookieStore(file: file)
    let (counts, announce) = AsyncStream.makeStream(of: Int.self)
    store.observe { announce.yield(store.read { jar, _ in jar.count }) }
    try await receive("a=1; Max-Age=60", in: store)
    var heard = counts.makeAsyncIterator()
    #expect(await heard.next() == 1)
  }

  @Test func storeWithoutCookiesMakesNoDatabase() async throws {
    let store = CookieStore(file: file)
    #expect(try await sent(by: store) == nil)
    try await receive("session=1", in: store)
    #expect(!FileManager.default.fileExists(atPath: file.path()))
  }

  @Test func unusableFolderKeepsCookiesInMemoryAndSaysWhy() async throws {
    try Data().write(to: folder.url.appending(path: "data"))
    let store = CookieStore(file: file)
    try await receive("a=1; Max-Age=60", in: store)
    #expect(try await sent(by: store) == "a=1")
    #expect(store.failure != nil)
  }

  @Test func damagedFileIsReplaced() async throws {
    set("a", "1", in: CookieStore(file: file))
    let log = file.path() + "-wal"
    if FileManager.default.fileExists(atPath: log) { try FileManager.default.removeItem(atPath: log) }
    try Data(repeating: 7, count: 10_000).write(to: file)
    let store = CookieStore(file: file)
    set("b", "2", in: store)
    #expect(try await sent(by: store) == "b=2")
    #expect(try await sent(by: CookieStore(file: file)) == "b=2")
  }

  /// Damages the file of a store that is in use.
  private func damage() throws {
    let database = try DatabaseConnections(path: file.path())
    // What the log has is written into the file, and other connections have to read again.
    try database.write { try $0.execute(sql: "UPDATE cookie SET version = 1") }
    try database.withWriter { try $0.truncateLog() }
    database.close()
    try Data(repeating: 7, count: 10_000).write(to: file)
  }

  @Test func damageFoundByAChangeBeginsANewFileThatHasTheChange() async throws {
    let store = CookieStore(file: file)
    set("a", "1", in: store)
    try damage()
    set("b", "2", in: store)
    #expect(store.failure == nil)
    #expect(try await sent(by: CookieStore(file: file)) == "a=1; b=2")
    #expect(FileManager.default.fileExists(atPath: file.path() + ".corrupt-1"))
  }

  @Test func damageFoundByALookUpBeginsANewFile() async throws {
    let store = CookieStore(file: file)
    set("a", "1", in: store)
    try damage()
    // As if another process had changed the store.
    ChangeCounter(beside: file).bump()
    // What is in memory is written into the new file.
    #expect(try await sent(by: store) == "a=1")
    #expect(store.failure == nil)
    set("b", "2", in: store)
    #expect(try await sent(by: CookieStore(file: file)) == "a=1; b=2")
  }

  @Test func damageThatOnlyAChangeMeetsBeginsANewFile() async throws {
    let store = CookieStore(file: file)
    set("a", "1", in: store)
    // Each takes a page of its own, which its removal frees.
    let long = String(repeating: "x", count: 3000)
    for name in ["c", "d", "e"] { set(name, long, in: store) }
    for name in ["c", "d", "e"] {
      store.write { jar, now in jar.remove(Cookie(name: name, value: "", domain: "a.test", path: "/"), now: now) }
    }
    try DamagedFreeList.make(in: file, after: "UPDATE cookie SET version = 1")
    #expect(try await sent(by: CookieStore(file: file)) == "a=1")
    set("b", long, in: store)
    #expect(store.failure == nil)
    #expect(FileManager.default.fileExists(atPath: file.path() + ".corrupt-1"))
    #expect(try await sent(by: store) == "a=1; b=\(long)")
    #expect(try await sent(by: CookieStore(file: file)) == "a=1; b=\(long)")
  }

  @Test func fileThatAnotherProcessHasReplacedIsFollowed() async throws {
    let store = CookieStore(file: file)
    set("a", "1", in: store)
    try FileManager.default.moveItem(atPath: file.path(), toPath: file.path() + ".corrupt-1")
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path() + suffix) }
    let other = CookieStore(file: file)
    set("b", "2", in: other)
    // What is in memory is written into the new file.
    #expect(try await sent(by: store) == "a=1; b=2")
    set("c", "3", in: store)
    #expect(try await sent(by: other) == "a=1; b=2; c=3")
  }

  /// As a user does to log out everywhere.
  private func delete(withCounter: Bool = false) throws {
    for suffix in ["", "-wal", "-shm"] + (withCounter ? [".changes", ".lock"] : []) {
      let path = file.path() + suffix
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
  }

  @Test func cookiesOfAFileThatWasDeletedDoNotComeBack() async throws {
    let store = CookieStore(file: file)
    set("a", "1", in: store)
    try delete()
    let other = CookieStore(file: file)
    set("b", "2", in: other)
    #expect(try await sent(by: store) == "b=2")
    set("c", "3", in: store)
    #expect(try await sent(by: CookieStore(file: file)) == "b=2; c=3")
  }

  @Test func processesShareAFileThatWasDeletedWithItsCounterAgain() async throws {
    let store = CookieStore(file: file)
    set("a", "1", in: store)
    try delete(withCounter: true)
    let other = CookieStore(file: file)
    set("b", "2", in: other)
    // Its own change shows it the new file.
    set("c", "3", in: store)
    #expect(try await sent(by: store) == "b=2; c=3")
    set("d", "4", in: other)
    #expect(try await sent(by: store) == "b=2; c=3; d=4")
    set("e", "5", in: store)
    #expect(try await sent(by: other) == "b=2; c=3; d=4; e=5")
  }

  @Test func changeThatMeetsAFileMadeAfterADeletionBringsNoCookiesBack() async throws {
    let store = CookieStore(file: file)
    set("a", "1", in: store)
    try delete()
    let other = CookieStore(file: file)
    // The file is made, and nothing tells `store` of it before its own change.
    try StoreDatabase(url: file, migrations: CookieTable.register).close()
    set("b", "2", in: store)
    #expect(try await sent(by: store) == "b=2")
    #expect(try await sent(by: other) == "b=2")
  }

  @Test func changeThatMeetsAnotherProcesssNewFileKeepsWhatIsInMemory() async throws {
    let store = CookieStore(file: file)
    set("a", "1", in: store)
    try damage()
    let other = CookieStore(file: file)
    // Opening finds the damage.
    #expect(other.read { jar, _ in jar.count } == 0)
    set("b", "2", in: store)
    #expect(try await sent(by: store) == "a=1; b=2")
    #expect(try await sent(by: other) == "a=1; b=2")
  }

  @Test func newestOfACookieRemainsWhereSeveralProcessesFillANewFile() async throws {
    let time = Mutex(Date())
    let stores = (0..<3).map { _ in CookieStore(file: file) { time.withLock { $0 } } }
    let (idle, busy) = (stores[0], stores[1])
    set("a", "old", in: idle)
    #expect(try await sent(by: busy) == "a=old")
    time.withLock { $0 += 1 }
    set("a", "new", in: busy)
    set("b", "2", in: busy)
    try damage()
    // It finds the damage where it looks for what `busy` has changed, and fills the new file with what it knew before that.
    #expect(try await sent(by: idle) == "a=old")
    #expect(try await sent(by: busy) == "a=new; b=2")
    #expect(try await sent(by: idle) == "a=new; b=2")
    #expect(try await sent(by: stores[2]) == "a=new; b=2")
  }

  @Test func endedCookiesLeaveTheDisk() async throws {
    let now = Mutex(Date())
    let store = CookieStore(file: file) { now.withLock { $0 } }
    try await receive("a=1; Max-Age=60", in: store)
    now.withLock { $0 += 61 }
    let next = CookieStore(file: file) { now.withLock { $0 } }
    #expect(try await sent(by: next) == nil)
    try await receive("b=1; Max-Age=60", in: next)
    let all = try StoreDatabase(url: file, migrations: CookieTable.register).read { try CookieTable.all($0, now: .distantPast) }
    #expect(all.map(\.cookie.name) == ["b"])
  }

  @Test func groupsLieBesideTheAppsFolders() {
    let place = StoreLocation(data: URL(filePath: "/home/ada/.local/share/notes/"), caches: folder.url)
    #expect(
      CookieStore.groupFile("group.one", at: place).path() == "/home/ada/.local/share/url-loading-groups/group=group.one/cookies.sqlite")
    #expect(!CookieStore.groupFile("../../etc", at: place).path(percentEncoded: false).contains("../etc"))
  }
}
