import Foundation
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct StoreDatabaseTests {
  private let folder = TemporaryFolder()
  private var file: URL { folder.url.appending(path: "deep/store.sqlite") }

  private func open(probe: (Database) throws -> Void = { _ in }) throws -> StoreDatabase {
    try StoreDatabase(
      url: file,
      migrations: { migrator in
        migrator.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE note (text TEXT NOT NULL)") }
      }, probe: probe)
  }

  private func add(_ text: String, to store: StoreDatabase) throws {
    try store.write { try $0.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text]) }
  }

  private func notes(_ store: StoreDatabase) throws -> [String] {
    try store.read { try String.fetchAll($0, sql: "SELECT text FROM note ORDER BY rowid") }
  }

  private func permissions(_ url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))[.posixPermissions] as? Int
  }

  @Test func whatWasWrittenIsThereAfterReopening() throws {
    try add("a", to: open())
    #expect(try notes(open()) == ["a"])
  }

  @Test func twoOpeningsSeeEachOther() throws {
    let (first, second) = (try open(), try open())
    try add("a", to: first)
    try add("b", to: second)
    #expect(try notes(first) == ["a", "b"])
    #expect(try notes(second) == ["a", "b"])
  }

  @Test func folderAndFilesBelongToTheOwnerAlone() throws {
    let store = try open()
    try add("a", to: store)
    #expect(try permissions(file.deletingLastPathComponent()) == 0o700)
    #expect(try permissions(file) == 0o600)
    #expect(try permissions(URL(filePath: file.path() + "-wal")) == 0o600)
  }

  @Test func fileThatIsNoDatabaseIsMovedAside() throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    for round in 1...5 {
      try Data(repeating: 0x41, count: 8192).write(to: file)
      let store = try open()
      #expect(store.failure == nil)
      #expect(store.movedAside?.lastPathComponent == "store.sqlite.corrupt-\(min(round, 3))")
      try add("a", to: store)
      #expect(try notes(store) == ["a"])
      #expect(try permissions(file) == 0o600)
      store.close()
      try DatabaseConnections(path: file.path()).close()  // else the log would repair the file
    }
  }

  @Test func damageThatTheProbeFindsMovesTheFileAside() throws {
    let store = try open()
    for number in 0..<200 { try add(String(repeating: "x", count: 200) + "\(number)", to: store) }
    store.close()
    try DatabaseConnections(path: file.path()).close()  // the last writer's end moves the log into the file
    var bytes = try Data(contentsOf: file)
    bytes.replaceSubrange(8192..<bytes.count, with: Data(repeating: 0xAA, count: bytes.count - 8192))
    try bytes.write(to: file)
    let next = try open { _ = try String.fetchAll($0, sql: "SELECT text FROM note") }
    #expect(next.movedAside != nil)
    #expect(try notes(next).isEmpty)
  }

  @Test func unusableFolderGivesAStoreInMemoryAndAReason() throws {
    try Data().write(to: folder.url.appending(path: "deep"))
    let store = try open()
    let failure = try #require(store.failure)
    #expect(failure.description.contains("can't keep data in"))
    try add("a", to: store)
    #expect(try notes(store) == ["a"])
  }
}

@Suite(.timeLimit(.minutes(10))) struct ChangeCounterTests {
  private let folder = TemporaryFolder()

  @Test func everyObjectOfTheFileSeesABump() {
    let url = folder.url.appending(path: "changes")
    let (first, second) = (ChangeCounter(url: url), ChangeCounter(url: url))
    #expect(first.failure == nil && first.value == 0)
    #expect(first.bump() == 0)
    #expect(second.value == 1)
    #expect(second.bump() == 1)
    #expect(first.value == 2)
  }

  @Test func countOutlivesItsObjects() {
    let url = folder.url.appending(path: "changes")
    ChangeCounter(url: url).bump()
    #expect(ChangeCounter(url: url).value == 1)
  }

  @Test func unusableFileGivesACounterForTheProcess() {
    let counter = ChangeCounter(url: folder.url.appending(path: "absent/changes"))
    #expect(counter.failure != nil)
    let before = counter.bump()
    #expect(counter.value == before + 1)
  }

  @Test func bumpsOfManyThreadsAllCount() {
    let counter = ChangeCounter(url: folder.url.appending(path: "changes"))
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1000 { counter.bump() }
    }
    #expect(counter.value == 8000)
  }
}
