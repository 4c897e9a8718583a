import Foundation

/// Small files that only their owner may read: read and replaced as a whole.
package enum PrivateFile {
  /// Largest file that is read, in bytes; none that is written here gets so large.
  private static let sizeLimit = 64 << 20

  /// The contents; nil if there is no such file. Takes away other users' permissions.
  /// - Throws: If the file can't be read, belongs to another user, or isn't a regular file.
  package static func read(_ url: URL) throws(StoreFailure) -> Data? {
    let path = url.path(percentEncoded: false)
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw errno == ELOOP ? .noFile(path) : StoreFailure(path: path, code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw StoreFailure(path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw StoreFailure(path: path, reason: "it belongs to another user or is no file")
    }
    if status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
    guard status.st_size <= sizeLimit else { throw StoreFailure(path: path, reason: "it is too large") }
    return try read(descriptor, path)
  }

  private static func read(_ descriptor: Int32, _ path: String) throws(StoreFailure) -> Data {
    var contents = Data()
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Foundation.read(descriptor, &piece, piece.count)
      if count == 0 { return contents }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoreFailure(path: path, code: errno) }
      contents.append(contentsOf: piece[..<count])
    }
  }

  /// Replaces the file atomically, readable by its owner alone; the old one stays if that fails. The caller holds a lock, so that there is one
  /// writer.
  package static func write(_ contents: Data, to url: URL) throws(StoreFailure) {
    let path = url.path(percentEncoded: false)
    let draft = path + ".new"
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFailure(path: draft, code: errno) }
    let isWritten = write(contents, to: descriptor) && fsync(descriptor) == 0 && rename(draft, path) == 0
    let code = errno
    close(descriptor)
    guard isWritten else {
      unlink(draft)
      throw StoreFailure(path: path, code: code)
    }
    synchronize(url.deletingLastPathComponent())
  }

  private static func write(_ contents: Data, to descriptor: Int32) -> Bool {
    contents.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Synchronizes the folder: only then is a rename in it durable.
  private static func synchronize(_ folder: URL) {
    let descriptor = open(folder.path(percentEncoded: false), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Renames a damaged file to `name.corrupt-N`. If all these names are taken, the last one is replaced.
  static func moveAside(_ url: URL, keeping limit: Int = 3) throws(StoreFailure) {
    let path = url.path(percentEncoded: false)
    let places = (1...max(1, limit)).map { "\(path).corrupt-\($0)" }
    let place = places.first { access($0, F_OK) != 0 } ?? "\(path).corrupt-\(max(1, limit))"
    guard rename(path, place) == 0 || errno == ENOENT else { throw StoreFailure(path: path, code: errno) }
  }
}
