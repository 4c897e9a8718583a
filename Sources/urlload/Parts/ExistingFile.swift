import Foundation

/// What becomes of an existing file that has the name of a new one.
enum ExistingFile: Sendable {
  case replaced
  /// It stays, and the load fails.
  case refused
  /// It stays, and the new file gets a number behind its name (`--no-clobber`).
  case numbered

  /// The names that a new file may get, the first that is free counts.
  private func names(_ path: String) -> [String] { self == .numbered ? [path] + (1...100).map { "\(path).\($0)" } : [path] }

  /// Gives a complete file its final name, which may have become that of another file since the load began.
  /// - Parameter temporary: The file's present path, on the same file system.
  /// - Returns: The path that it has got.
  /// - Throws: `EEXIST` if there is a file that must not be replaced, or the error of the file system.
  func rename(_ temporary: String, to path: String) throws(Descriptor.Failure) -> String {
    if self == .replaced {
      guard Foundation.rename(temporary, path) == 0 else { throw Descriptor.Failure(code: errno) }
      return path
    }
    for name in names(path) {
      switch ExistingFile.add(temporary, as: name) {
      case 0: return name
      case EEXIST: continue
      case let code: throw Descriptor.Failure(code: code)
      }
    }
    throw Descriptor.Failure(code: EEXIST)
  }

  /// Renames a file unless another one has the name.
  /// - Returns: `errno`; 0 after success.
  private static func add(_ temporary: String, as name: String) -> Int32 {
    // A hard link fails if there is a file of the name, which a rename would replace.
    if link(temporary, name) == 0 {
      unlink(temporary)
      return 0
    }
    guard errno != EEXIST else { return EEXIST }
    // Not all file systems have hard links: an empty file takes the name first, and is what the rename replaces.
    let place = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard place >= 0 else { return errno }
    close(place)
    guard Foundation.rename(temporary, name) != 0 else { return 0 }
    let code = errno
    unlink(name)
    return code
  }
}
