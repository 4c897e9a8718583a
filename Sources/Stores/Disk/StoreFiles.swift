import Foundation

/// The files around one database: made for the owner alone, and moved aside when damaged.
struct StoreFiles {
  let database: URL

  /// Makes the folder.
  init(database: URL) throws {
    self.database = database
    let folder = database.deletingLastPathComponent()
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
    let file = try StoreFile(database.appendingPathExtension("lock"))
    let deadline = ContinuousClock.now + .seconds(patience)
    while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
      let (isTaken, reason) = (errno == EWOULDBLOCK || errno == EINTR, StoreFile.errorText(errno))
      guard isTaken, ContinuousClock.now < deadline else {
        file.close()
        throw StoreFailure(path: file.path, reason: isTaken ? "another process holds its lock" : reason)
      }
      usleep(2_000)
    }
    return file
  }

  /// Renames the database to `name.corrupt-N` and removes the files that belong to it alone.
  func moveAside(keeping limit: Int) throws -> URL {
    let files = FileManager.default
    let names = (1...max(1, limit)).map { database.appendingPathExtension("corrupt-\($0)") }
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

/// An open file of a store, readable and writable by its owner alone.
struct StoreFile {
  let path: String
  let descriptor: Int32

  init(_ url: URL) throws {
    path = url.path(percentEncoded: false)
    // Neither a link, even a dangling one, nor a pipe: nothing but a file is ours.
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw errno == ELOOP ? .noFile(path) : StoreFailure(path: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      _ = Foundation.close(descriptor)
      throw StoreFailure.noFile(path)
    }
  }

  /// Closes the file, and releases its lock even where a process that is just being started still has the descriptor.
  func close() {
    flock(descriptor, LOCK_UN)
    _ = Foundation.close(descriptor)
  }

  static func errorText(_ code: Int32) -> String { String(cString: strerror(code)) }
}
