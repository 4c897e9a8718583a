import Foundation

/// One SQLite file of a store, which several processes may use at the same time.
///
/// A committed transaction survives any end of the process (write-ahead log); whether it survives a power cut depends on `Durability`. Every function
/// blocks: never call one on an event loop.
package final class StoreDatabase: Sendable {
  /// What a committed transaction survives.
  package enum Durability: String, Sendable {
    /// The end of the process, but perhaps not a power cut: the system writes the log to the disk when it likes.
    case processEnd = "NORMAL"
    /// A power cut as well: each transaction waits for the disk.
    case systemEnd = "FULL"
  }

  /// Seconds to wait for the transaction of another process.
  private static let busyTimeout = 10.0

  package let url: URL
  /// Why nothing is kept on disk, but in memory; nil if it is on disk.
  package let failure: StoreFailure?
  /// Where the damaged file that was found has been moved; nil if the file was sound.
  package let movedAside: URL?
  /// Whether the new file has the contents of the damaged one.
  package let isSalvaged: Bool
  /// Identity of the open file; nil for a database in memory.
  let identity: FileIdentity?
  private let database: DatabaseConnections

  /// Opens the file at `url`, or makes it: folders for the owner alone (0700), the file as well (0600).
  ///
  /// A file that isn't a database, or is damaged, is moved aside and a new one begun. If the disk can't be used, the store is in memory, and
  /// `failure` says why.
  ///
  /// - Parameters:
  ///   - durability: What committed transactions survive.
  ///   - migrations: Registers the migrations that make the tables.
  ///   - isSuspect: Whether the whole file is checked, because damage was met in it. If another process has replaced the file, the check passes.
  ///   - salvages: Whether a damaged file's contents are copied into the new one, if all can be read. Not for data that memory has or that can be
  /// fetched again, because other processes wait meanwhile.
  ///   - probe: Reads what must be readable, to find damage that opening alone doesn't show.
  /// - Throws: A `StoreFailure` if SQLite is missing; or an error of the migrations on an empty database, which is a mistake in them.
  package init(
    url: URL, durability: Durability = .processEnd, migrations: (inout DatabaseMigrator) -> Void, isSuspect: Bool = false,
    salvages: Bool = false, probe: (Database) throws -> Void = { _ in }
  ) throws {
    if let failure = SQLiteLibrary.failure(of: url) { throw failure }
    let options = StoreDatabase.options(durability)
    self.url = url
    var migrator = DatabaseMigrator()
    migrations(&migrator)
    do {
      let files = try StoreFiles(database: url)
      // One process at a time opens the file: two that migrate it, or move the same damaged file aside, would undo each other's work.
      let lock = try files.lockOpening(patience: StoreDatabase.busyTimeout)
      defer { lock.close() }
      if salvages { try files.finishReplacement() }
      try files.createDatabaseFile()
      var movedAside: URL?
      var salvage: URL?
      var opened: DatabaseConnections?
      do {
        opened = try StoreDatabase.open(url, options, migrator) { database in
          if isSuspect { try database.checkStructure() }
          try probe(database)
        }
      } catch let error as DatabaseError where error.isDamage {
        if salvages {
          salvage = try StoreDatabase.salvage(files, options, migrator, probe)
          // If the tables can be read but not copied, the damaged file stays in use: its data isn't given up for damage elsewhere in the file.
          if salvage == nil { opened = try? StoreDatabase.openReadable(url, options, migrator, probe) }
        }
        if opened == nil { movedAside = try files.moveAside() }
      }
      if let salvage { try files.putInPlace(salvage) }
      if opened == nil { try files.createDatabaseFile() }
      database = try opened ?? StoreDatabase.open(url, options, migrator, probe)
      self.movedAside = movedAside
      isSalvaged = salvage != nil
      // The identity belongs to the opened file, because other processes can't move it aside before the lock is released.
      identity = FileIdentity(url)
      failure = nil
    } catch {
      let memory = try DatabaseConnections(path: nil, options)
      try migrator.migrate(memory)
      database = memory
      movedAside = nil
      isSalvaged = false
      identity = nil
      failure = StoreFailure(path: url.path(percentEncoded: false), error)
    }
  }

  private static func options(_ durability: Durability) -> DatabaseConnections.Options {
    var options = DatabaseConnections.Options()
    options.busyTimeout = busyTimeout
    options.readers = 2
    // Deleted data is overwritten, so that cookies and private pages can't be read from the file's free pages.
    options.preparation = "PRAGMA synchronous = \(durability.rawValue); PRAGMA secure_delete = ON"
    return options
  }

  private static func open(
    _ url: URL, _ options: DatabaseConnections.Options, _ migrator: DatabaseMigrator, _ probe: (Database) throws -> Void
  ) throws -> DatabaseConnections {
    let connections = try DatabaseConnections(path: url.path(percentEncoded: false), options)
    do {
      try migrator.migrate(connections)
      try connections.read(probe)
      return connections
    } catch {
      connections.close()
      throw error
    }
  }

  /// Opens a damaged file if its tables can be read; throws otherwise.
  private static func openReadable(
    _ url: URL, _ options: DatabaseConnections.Options, _ migrator: DatabaseMigrator, _ probe: (Database) throws -> Void
  ) throws -> DatabaseConnections {
    try open(url, options, migrator) { database in
      try database.checkTables()
      try probe(database)
    }
  }

  /// Copies a damaged file whose tables can be read, for example one whose list of free pages is damaged.
  ///
  /// - Returns: The copy, which is sound; nil if the file can't be copied.
  /// - Throws: If there is no room for the copy, or another error that may pass: the damaged file stays in its place until then.
  private static func salvage(
    _ files: StoreFiles, _ options: DatabaseConnections.Options, _ migrator: DatabaseMigrator, _ probe: (Database) throws -> Void
  ) throws -> URL? {
    let copy = try files.createCopyFile()
    do {
      let damaged = try DatabaseConnections(path: files.database.path(percentEncoded: false))
      defer { damaged.close() }
      try damaged.withWriter { try $0.execute(sql: "VACUUM INTO ?", arguments: [copy.path(percentEncoded: false)]) }
      try makeIndexes(of: copy)
      // Opening it switches it to a write-ahead log, a transaction that also writes the copy to the disk.
      let connections = try open(copy, options, migrator) { database in
        try database.checkStructure()
        try probe(database)
      }
      connections.close()
      return copy
    } catch {
      files.remove(copy)
      if let error = error as? DatabaseError, error.mayPass { throw error }
      return nil
    }
  }

  /// Rebuilds the copy's indexes, because those of the damaged file may lack rows, and are copied with that.
  private static func makeIndexes(of copy: URL) throws {
    let connections = try DatabaseConnections(path: copy.path(percentEncoded: false))
    defer { connections.close() }
    try connections.withWriter { try $0.execute(sql: "REINDEX") }
  }

  /// Whether the path leads to another file by now: another process has moved the damaged one aside and begun a new one, or the file was
  /// deleted and made again. Costs a system call.
  var isReplaced: Bool {
    guard let identity, let found = FileIdentity(url) else { return false }
    return found != identity
  }

  /// Whether this database replaces the file `earlier` because of damage or failure: that file was moved aside by some process, or the disk can't be
  /// used any more and this database is in memory. False if the file was deleted, because its data was meant to be forgotten.
  func lacks(_ earlier: FileIdentity) -> Bool {
    guard let identity else { return true }
    return identity != earlier && StoreFiles.placesAside(of: url).contains { FileIdentity($0) == earlier }
  }

  /// Runs `body` in a transaction that reads a consistent state, while others may write.
  package func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try database.read(body) }

  /// Runs `body` in a transaction, which is committed when this returns.
  package func write<Value>(_ body: (Database) throws -> Value) throws -> Value { try database.write(body) }

  /// Gives the file's free pages back to the disk, and empties the log, which still has deleted data. Copies everything that is left in the file.
  ///
  /// - Throws: If other processes use the database for too long; the file is unchanged then.
  package func compact() throws {
    guard failure == nil else { return }
    try database.withWriter { database in
      try database.execute(sql: "VACUUM")
      try database.truncateLog()
    }
  }

  /// Closes the file; further calls throw.
  package func close() { database.close() }
}
