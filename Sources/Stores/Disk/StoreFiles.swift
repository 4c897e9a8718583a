import Foundation

/// The files around one database: made for the owner alone, and moved aside when damaged.
package struct StoreFiles {
  /// Damaged files that are kept beside the database for inspection.
  private static let movedAsideLimit = 3

  let database: URL

  /// Makes the folder.
  init(database: URL) throws {
    self.database = database
    try StoreFiles.makeFolder(database.deletingLastPathComponent())
  }

  /// Makes a folder for its owner alone, and those above it, where they aren't there.
  package static func makeFolder(_ folder: URL) throws {
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreFailure(folder: folder, error)
    }
  }

  /// Makes the database's empty file, so that SQLite doesn't choose the permissions.
  ///
  /// A file that exists is never opened here: SQLite's locks belong to process and file (POSIX `fcntl`), and closing any descriptor of the
  /// file would drop those of a database that this process has open.
  ///
  /// Called with the lock of opening held.
  func createDatabaseFile() throws {
    let path = database.path(percentEncoded: false)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      // It can't have been opened through SQLite yet: callers hold the lock of opening.
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

  /// Removes the database `copy` and the files that belong to it.
  func remove(_ copy: URL) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy.path(percentEncoded: false) + suffix) }
  }

  /// Has `copy` take the place of the database that was moved aside.
  func putInPlace(_ copy: URL) throws {
    let path = database.path(percentEncoded: false)
    guard rename(copy.path(percentEncoded: false), path) == 0 else { throw StoreFailure(path: path, code: errno) }
  }

  /// Has a copy take the place of a database that isn't there: a process has ended between `moveAside` and `putInPlace`. Before, the
  /// database is there, and the copy may be no whole one.
  ///
  /// Called with the lock of opening held.
  func finishReplacement() throws {
    let copy = copyPlace
    guard FileIdentity(database) == nil, FileIdentity(copy) != nil else { return }
    try StoreFiles.refuseForeign(copy.path(percentEncoded: false))
    try putInPlace(copy)
  }

  /// SQLite would follow a link, also to where nothing is yet, and may wait for a pipe: nothing but a file is ours.
  private static func refuseForeign(_ path: String) throws(StoreFailure) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw StoreFailure(path: path, code: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile(path) }
  }

  /// Held while the database is opened; other processes wait, but not without end: one may have been stopped with the lock in its hands.
  ///
  /// - Parameter patience: Seconds.
  func lockOpening(patience: Double) throws -> StoreFile {
    try StoreFile(locked: database.appendingPathExtension("lock"), patience: patience)
  }

  /// Where damaged files of `database` are moved.
  static func placesAside(of database: URL) -> [URL] {
    (1...movedAsideLimit).map { database.appendingPathExtension("corrupt-\($0)") }
  }

  /// Renames the database to `name.corrupt-N` and removes the files that belong to it alone.
  func moveAside() throws -> URL {
    let files = FileManager.default
    let names = StoreFiles.placesAside(of: database)
    let free = names.first { !files.fileExists(atPath: $0.path(percentEncoded: false)) }
    // The last place is taken again and again: a disk that damages files mustn't be filled with them.
    guard let place = free ?? names.last else { throw StoreFailure(path: database.path(percentEncoded: false), reason: "it is damaged") }
    guard rename(database.path(percentEncoded: false), place.path(percentEncoded: false)) == 0 else {
      throw StoreFailure(path: database.path(percentEncoded: false), code: errno)
    }
    for suffix in ["-wal", "-shm"] { unlink(database.path(percentEncoded: false) + suffix) }
    return place
  }
}
