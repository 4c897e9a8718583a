import CLoadingSQLite
import Foundation
import LoadingModel
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct DatabaseConnectionsTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.url.appending(path: "store.sqlite").path() }

  private func open(readers: Int = 2) throws -> DatabaseConnections {
    var options = DatabaseConnections.Options()
    options.readers = readers
    return try DatabaseConnections(path: path, options)
  }

  @Test func valuesComeBackAsTheyWereBound() throws {
    let database = try DatabaseConnections(path: nil)
    let text = "nul \0, ü and 'quotes'"
    try database.write { database in
      try database.execute(sql: "CREATE TABLE t (a, b, c, d, e, f, g)")
      try database.execute(
        sql: "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", arguments: [Int64.min, 0.5, text, Data([0, 255]), true, nil, ""])
      try database.execute(sql: "INSERT INTO t (a) VALUES (?)", arguments: [Data()])
    }
    let rows = try database.read { try Row.fetchAll($0, sql: "SELECT * FROM t") }
    let row = try #require(rows.first)
    #expect(row.value(0) == Int64.min && row.value(1) == 0.5 && row.value(2) == text && row.value(3) == Data([0, 255]))
    #expect(row.value(4) == true && row.value(5, String.self) == nil && row.value(6) == "")
    #expect(Int64.fromDatabaseValue(row["a"]) == .min && Data.fromDatabaseValue(rows[1][0]) == Data())
  }

  @Test func valuesOfAnotherKindAreNil() throws {
    let database = try DatabaseConnections(path: nil)
    let row = try database.read { try Row.fetchOne($0, sql: "SELECT 'x', 1e300, x'FF', 0.5, NULL") }
    #expect(row?.value(0, Int64.self) == nil && row?.value(0, Double.self) == nil && row?.value(1, Int64.self) == nil)
    #expect(row?.value(2, String.self) == nil && row?.value(3, Int.self) == nil && row?.value(4, Data.self) == nil)
    #expect(row?.value(9, Int.self) == nil)
  }

  @Test func whatATransactionDidIsUndoneIfItThrows() throws {
    let database = try open()
    try database.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    #expect(throws: DatabaseError.self) {
      try database.write { database in
        try database.execute(sql: "INSERT INTO t VALUES (2)")
        try database.execute(sql: "INSERT INTO absent VALUES (2)")
      }
    }
    #expect(try database.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1])
  }

  @Test func readersSeeOneStateBesideAWriter() throws {
    let database = try open()
    try database.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    func count(_ database: Database) throws -> Int? { try Int.fetchOne(database, sql: "SELECT count(*) FROM t") }
    let counts = try database.read { reader in
      let before = try count(reader)
      try database.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
      return (before, try count(reader))
    }
    #expect(counts == (1, 1))
    #expect(try database.read(count) == 2)
  }

  @Test func readersDoNotWrite() throws {
    let database = try open()
    try database.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    #expect(throws: DatabaseError.self) { try database.read { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
  }

  @Test func manyThreadsShareFewReaders() throws {
    let database = try open()
    try database.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (7)") }
    let sum = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      let value = try? database.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }
      sum.withLock { $0 += value ?? 0 }
    }
    #expect(sum.withLock { $0 } == 64 * 7)
  }

  @Test func closedDatabaseThrows() throws {
    let database = try open()
    database.close()
    #expect(throws: DatabaseError.self) { try database.read { _ in } }
    #expect(throws: DatabaseError.self) { try database.write { _ in } }
  }

  @Test func wrongNumberOfArgumentsThrows() throws {
    let database = try DatabaseConnections(path: nil)
    #expect(throws: DatabaseError.self) { try database.read { try Int.fetchOne($0, sql: "SELECT ?") } }
    #expect(throws: DatabaseError.self) { try database.read { try Int.fetchOne($0, sql: "-- nothing") } }
  }

  @Test func fileThatIsNoDatabaseIsDamage() throws {
    try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: path))
    let error = #expect(throws: DatabaseError.self) { try open() }
    #expect(error?.isDamage == true && error?.code == ULS_SQLITE_NOTADB)
  }

  @Test func stepsThatAFileHasSeenAreNotTakenAgain() throws {
    let database = try open()
    // As GRDB has left it, by which earlier versions kept their stores.
    try database.write { database in
      try database.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
      try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('one'); CREATE TABLE t (a)")
    }
    var taken: [String] = []
    var migrator = DatabaseMigrator()
    migrator.registerMigration("one") { _ in taken.append("one") }
    migrator.registerMigration("two") { database in
      taken.append("two")
      try database.execute(sql: "INSERT INTO t VALUES (1)")
    }
    try migrator.migrate(database)
    try migrator.migrate(database)
    #expect(taken == ["two"])
    #expect(try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
  }
}
