import Foundation

/// The files of one database: made with permissions for the owner alone, and moved aside when damaged.
package struct StoreFiles {
  /// Maximum number of damaged files that are kept beside the database for inspection.
  private static let movedAsideLimit = 3

  let database: URL

  /// Makes the database's folder.
  init(database: URL) throws {
    self.database = database
    try StoreFiles.makeFolder(database.deletingLastPathComponent())
  }

  /// Makes the folder and those above it, for the owner alone, unless they exist.
  package static func makeFolder(_ folder: URL) throws {
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreFailure(folder: folder, error)
    }
  }

  /// Makes the database as an empty file, so that SQLite doesn't choose the permissions. Called with the opening lock held.
  ///
  /// An existing file is never opened here: SQLite's locks belong to process and file (POSIX `fcntl`), and closing any descriptor of the file would
  /// release those of a database that this process has open.
  func createDatabaseFile() throws {
    let path = database.path(percentEncoded: false)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      // Closing releases no lock of SQLite: the file is new, and with the opening lock held no connection can have opened it.
      close(descriptor)
    } else if errno != EEXIST {
      throw StoreFailure(path: path, code: errno)
    }
    for suffix in ["", "-wal", "-shm", "-journal"] { try StoreFiles.refuseForeign(path + suffix) }
  }

  private var copyPlace: URL { database.appendingPathExtension("copy") }

  /// Makes the empty file of a copy of the database, in place of one that an earlier attempt has left.
  func createCopyFile() throws -> URL {
    let copy = copyPlace
    remove(copy)
    let path = copy.path(percentEncoded: false)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFailure(path: path, code: errno) }
    close(descriptor)
    return copy
  }

  /// Removes the copy and its files `-wal`, `-shm`, `-journal`.
  func remove(_ copy: URL) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy.path(percentEncoded: false) + suffix) }
  }

  /// Renames `copy` to the database's name, after the damaged database was moved aside.
  func putInPlace(_ copy: URL) throws {
    let path = database.path(percentEncoded: false)
    guard rename(copy.path(percentEncoded: false), path) == 0 else { throw StoreFailure(path: path, code: errno) }
  }

  /// Completes a replacement that a killed process has left between `moveAside` and `putInPlace`: the database is missing, and the copy is complete.
  /// While the database exists, a copy may be incomplete and isn't used. Called with the opening lock held.
  func finishReplacement() throws {
    let copy = copyPlace
    guard FileIdentity(database) == nil, FileIdentity(copy) != nil else { return }
    try StoreFiles.refuseForeign(copy.path(percentEncoded: false))
    try putInPlace(copy)
  }

  /// Throws unless the path is free or a regular file: SQLite would follow a link, or wait at a pipe.
  private static func refuseForeign(_ path: String) throws(StoreFailure) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw StoreFailure(path: path, code: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile(path) }
  }

  /// Takes the opening lock, which one process at a time holds while it opens the database. Waits, but not without end: a process may have been
  /// stopped while it held the lock.
  ///
  /// - Parameter patience: Seconds to wait for the lock.
  func lockOpening(patience: Double) throws -> StoreFile {
    try StoreFile(locked: database.appendingPathExtension("lock"), patience: patience)
  }

  /// The paths to which damaged files of `database` are moved.
  static func placesAside(of database: URL) -> [URL] {
    (1...movedAsideLimit).map { database.appendingPathExtension("corrupt-\($0)") }
  }

  /// Renames the damaged database to `name.corrupt-N`, and removes its files `-wal` and `-shm`.
  func moveAside() throws -> URL {
    let files = FileManager.default
    let names = StoreFiles.placesAside(of: database)
    let free = names.first { !files.fileExists(atPath: $0.path(percentEncoded: false)) }
    // If all names are taken, the last one is replaced, so that a failing disk doesn't fill up with damaged files.
    guard let place = free ?? names.last else { throw StoreFailure(path: database.path(percentEncoded: false), reason: "it is damaged") }
    guard rename(database.path(percentEncoded: false), place.path(percentEncoded: false)) == 0 else {
      throw StoreFailure(path: database.path(percentEncoded: false), code: errno)
    }
    for suffix in ["-wal", "-shm"] { unlink(database.path(percentEncoded: false) + suffix) }
    return place
  }
}
