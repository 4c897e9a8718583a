import Foundation

/// Finds the file that a path to be written leads to, and checks whether it may be written.
enum FileTarget {
  /// Throws if the existing file is write-protected: a rename would replace it nevertheless, because that only needs permission for the folder.
  static func demandWritable(_ path: String) throws(ToolFailure) {
    // A running program's file can't be written, but may be replaced.
    guard access(path, W_OK) != 0, errno != ETXTBSY else { return }
    throw WriteFailure.failure(path, errno)
  }

  /// Gives an open file the owner, the group and the permissions of the one that it replaces, as far as the system permits that. Where the file can't
  /// get the group, neither group nor others may do more with it than both could before.
  static func adopt(_ status: stat, _ descriptor: Int32) {
    var own = stat()
    guard fstat(descriptor, &own) == 0 else { return }
    var mode = status.st_mode & 0o777
    // Owner and group come first: changing them may take permissions away.
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid), fchown(descriptor, status.st_uid, status.st_gid) != 0,
      own.st_gid != status.st_gid, fchown(descriptor, uid_t.max, status.st_gid) != 0
    {
      let common = mode & mode >> 3 & 0o007
      mode = mode & 0o700 | common << 3 | common
    }
    _ = fchmod(descriptor, mode)
  }

  /// Whether there is something else than a regular file at `path`, such as a device or a pipe. It is written directly, because a rename would
  /// replace it.
  static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Opens a path for which `isSpecial` is true.
  /// - Returns: The descriptor, which the caller closes.
  /// - Throws: If it can't be written, such as a folder.
  static func openSpecial(_ path: String) throws(ToolFailure) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw WriteFailure.failure(path, errno) }
    return descriptor
  }

  /// The path after following symbolic links; the file there needn't exist.
  static func followed(_ path: String) -> String {
    var path = path
    // As many links as Linux follows.
    for _ in 0..<40 {
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
      path = link.hasPrefix("/") ? link : split(path).directory + link
    }
    return path
  }

  /// Splits the path after its last slash, into folder and name.
  static func split(_ path: String) -> (directory: Substring, name: Substring) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path[...]) }
    return (path[...slash], path[path.index(after: slash)...])
  }
}
