import Foundation

/// One SQLite file of a store, usable by several processes at once.
///
/// A transaction that has returned survives the end of the process by whatever means (WAL); a power cut only with that `Durability`. Every
/// function blocks: never call one on an event loop.
package final class StoreDatabase: Sendable {
  /// What a transaction that has returned survives.
  package enum Durability: String, Sendable {
    /// The end of the process. The system writes the log when it likes.
    case processEnd = "NORMAL"
    /// The end of the system as well: each transaction waits for the disk.
    case systemEnd = "FULL"
  }

  /// Seconds to wait for another process's transaction.
  private static let busyTimeout = 10.0

  package let url: URL
  /// Why nothing is kept on disk; nil if it is.
  package let failure: StoreFailure?
  /// Where the damaged file that was found has been moved; nil if the file was sound.
  package let movedAside: URL?
  /// Whether the new file has what was in the damaged one.
  package let isSalvaged: Bool
  /// Which file is open; nil for a database in memory.
  let identity: FileIdentity?
  private let database: DatabaseConnections

  /// Opens the file at `url`, or makes it: folders for the owner alone (0700), the file as well (0600).
  ///
  /// A file that isn't a database, or is damaged, is moved aside and a new one begun. Where the disk can't be used the store lives in
  /// memory and `failure` says why.
  ///
  /// - Parameters:
  ///   - durability: What transactions survive.
  ///   - migrations: Registers the migrations that make the tables.
  ///   - isSuspect: Whether the file is looked through first, since damage has been met in it: where another process has replaced it, it is
  ///     sound by now.
  ///   - salvages: Whether what is in a damaged file is copied into the new one, if all of it can be read. Not where memory has it anyway, or
  ///     it can be fetched again: other processes wait meanwhile.
  ///   - probe: Reads what must be readable; a store that is read whole anyway can find damage here that opening doesn't show.
  /// - Throws: A `StoreFailure` without SQLite; or if the migrations can't even be run on an empty database: a mistake in them.
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
      // One process at a time: two that migrate, or that move the same damaged file aside, would undo each other's work.
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
          // Nothing of a file whose tables can be read is given up for the sake of an index.
          if salvage == nil { opened = try? StoreDatabase.openReadable(url, options, migrator, probe) }
        }
        if opened == nil { movedAside = try files.moveAside() }
      }
      if let salvage { try files.putInPlace(salvage) }
      if opened == nil { try files.createDatabaseFile() }
      database = try opened ?? StoreDatabase.open(url, options, migrator, probe)
      self.movedAside = movedAside
      isSalvaged = salvage != nil
      // Nothing moves the file aside before the lock is released.
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
    // What is deleted is overwritten: cookies and private pages aren't to be read out of the file's free pages.
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

  /// Opens a damaged file whose tables can be read.
  private static func openReadable(
    _ url: URL, _ options: DatabaseConnections.Options, _ migrator: DatabaseMigrator, _ probe: (Database) throws -> Void
  ) throws -> DatabaseConnections {
    try open(url, options, migrator) { database in
      try database.checkTables()
      try probe(database)
    }
  }

  /// Copies a damaged file whose tables can be read, such as one whose list of free pages is damaged.
  ///
  /// - Returns: The copy, which is sound; nil if there is none.
  /// - Throws: If there is no room for it, or what else is in the way may pass: the damaged file is to stay until then.
  private static func salvage(
    _ files: StoreFiles, _ options: DatabaseConnections.Options, _ migrator: DatabaseMigrator, _ probe: (Database) throws -> Void
  ) throws -> URL? {
    let copy = try files.createCopyFile()
    do {
      let damaged = try DatabaseConnections(path: files.database.path(percentEncoded: false))
      defer { damaged.close() }
      try damaged.withWriter { try $0.execute(sql: "VACUUM INTO ?", arguments: [copy.path(percentEncoded: false)]) }
      try makeIndexes(of: copy)
      // Opening it also has it written to the disk: the change to a write-ahead log is a transaction that waits for that.
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

  /// Makes the indexes anew: the copy of one lacks what that lacks.
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

  /// Whether this database takes the place of the file `earlier` without the user having wanted that: the file was found damaged and moved
  /// aside, by whichever process, or the disk can't be used any more and the database is in memory. What was in a file that was deleted
  /// was meant to be forgotten.
  func lacks(_ earlier: FileIdentity) -> Bool {
    guard let identity else { return true }
    return identity != earlier && StoreFiles.placesAside(of: url).contains { FileIdentity($0) == earlier }
  }

  /// Reads a consistent state, beside any writer.
  package func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try database.read(body) }

  /// Runs a transaction; when this returns it is committed.
  package func write<Value>(_ body: (Database) throws -> Value) throws -> Value { try database.write(body) }

  /// Gives the disk back what is free in the file, and empties the log, which still has what was deleted. Costs a copy of what is left.
  ///
  /// - Throws: If another process is in the way for too long; the file is as it was then.
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
