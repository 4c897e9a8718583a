import Foundation
import LoadingModel
import ProtocolRules
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct DamagedRowTests {
  private let folder = TemporaryFolder()
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  @Test(arguments: [
    "length = -1", "length = 9223372036854775807", "length = 'x'", "place = 'x'", "place = 7", "used = 1e300", "used = 'x'",
    "record = x'00'", "url = x'FF'", "size = 'x'", "size = -9223372036854775808", "size = 9223372036854775807",
  ])
  func damagedRowOfTheCacheIsAMissAndNotACrash(damage: String) throws {
    let cache = try DiskCache(directory: folder.url)
    let url = "http://a.example/"
    let head = ResponseHead(status: 200, reason: "OK", headers: HeaderFields([("ETag", "x")]))
    let response = StoredResponse(url: url, head: head, requestFields: HeaderFields(), requestTime: now, responseTime: now)
    _ = try cache.perform([.store(response, .bytes(Data("body".utf8)))], uses: [:], capacity: 1 << 20)
    cache.close()
    let database = try DatabaseConnections(path: folder.url.appending(path: DiskCache.fileName).path())
    try database.write { try $0.execute(sql: "UPDATE responses SET \(damage)") }
    database.close()
    let other = try DiskCache(directory: folder.url)
    _ = try other.responses(hash: CacheKey.hash(url))
    _ = try other.list(limit: 10)
    _ = try other.body(response)
    _ = try other.index()
    _ = try other.changes(after: .max)
    _ = try other.perform([.shrink], uses: [:], capacity: 0)
    _ = try other.perform([.removeURL(url)], uses: [:], capacity: 1 << 20)
    let rest = try other.responses(hash: CacheKey.hash(url))
    #expect(rest.isEmpty)
    other.close()
  }

  @Test(arguments: ["expires = 'x'", "expires = 1e300", "noted = x'00'", "subdomains = 'x'"])
  func damagedRowOfTheHostsIsLeftOut(damage: String) async throws {
    let file = folder.url.appending(path: "hsts.sqlite")
    let year = StrictTransportSecurity(maxAge: 31_536_000, includesSubdomains: true)
    let store = HSTSStore(file: file)
    store.note(year, from: "a.example", now: now)
    await store.flush()
    let database = try DatabaseConnections(path: file.path())
    try database.write { try $0.execute(sql: "UPDATE host SET \(damage)") }
    let other = HSTSStore(file: file)
    await other.refresh()
    #expect(other.requiresTLS("a.example", now: now) == false)
  }

  @Test func damagedFileOfTheHostsIsMovedAsideAndUsedAgain() async throws {
    let file = folder.url.appending(path: "hsts.sqlite")
    let year = StrictTransportSecurity(maxAge: 31_536_000, includesSubdomains: true)
    try Data(repeating: 0x41, count: 8192).write(to: file)
    let store = HSTSStore(file: file)
    store.note(year, from: "a.example", now: now)
    await store.flush()
    let other = HSTSStore(file: file)
    await other.refresh()
    #expect(other.requiresTLS("a.example", now: now) == true)
    #expect(FileManager.default.fileExists(atPath: file.path() + ".corrupt-1"))
  }
}

@Suite(.timeLimit(.minutes(10))) struct StoreOpeningTests {
  private let folder = TemporaryFolder()
  private var file: URL { folder.url.appending(path: "store.sqlite") }

  /// `/proc/locks` lists the POSIX locks by inode: SQLite's own must outlive another opening.
  @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/locks"), "the system doesn't list locks"))
  func openingAgainKeepsTheLocksOfTheFirst() throws {
    func open() throws -> StoreDatabase {
      try StoreDatabase(url: file) { $0.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE note (text TEXT)") } }
    }
    let first = try open()
    try first.write { try $0.execute(sql: "INSERT INTO note VALUES ('a')") }
    let inode = try #require(FileManager.default.attributesOfItem(atPath: file.path())[.systemFileNumber] as? NSNumber)
    func locks() throws -> Int {
      try #require(SystemFile.text("/proc/locks")).split(separator: "\n")
        .filter { $0.contains("POSIX") && $0.contains(":\(inode) ") && $0.contains(" \(getpid()) ") }.count
    }
    let before = try locks()
    #expect(before > 0)
    let second = try open()
    second.close()
    let after = try locks()
    #expect(after > 0)
    let notes = try first.read { try String.fetchAll($0, sql: "SELECT text FROM note") }
    #expect(notes == ["a"])
  }

  @Test func openingThatAnotherHoldsIsNotWaitedForWithoutEnd() throws {
    let files = try StoreFiles(database: file)
    let held = try files.lockOpening(patience: 0)
    #expect(throws: StoreFailure.self) { try files.lockOpening(patience: 0.01).close() }
    held.close()
    try files.lockOpening(patience: 0).close()
  }
}
