import Foundation

/// Which file a path names that is to be written, and whether it may be.
enum FileTarget {
  /// A rename would replace a file that is protected from being written, since it asks for permission to write the folder alone.
  /// - Throws: If the file that is there is protected.
  static func demandWritable(_ path: String) throws(ToolFailure) {
    // A program that runs can't be written, but replaced.
    guard access(path, W_OK) != 0, errno != ETXTBSY else { return }
    throw WriteFailure.failure(path, errno)
  }

  /// Whether there is something at `path` that is no regular file, such as a device or a pipe: it is written as it is, since a file that takes
  /// its name would replace it.
  static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Opens what `isSpecial` is true of.
  /// - Returns: The descriptor, the caller's to close.
  /// - Throws: If it can't be written, as a folder.
  static func openSpecial(_ path: String) throws(ToolFailure) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw WriteFailure.failure(path, errno) }
    return descriptor
  }

  /// What the symbolic links at `path` lead to, whether there is such a file or not.
  static func followed(_ path: String) -> String {
    var path = path
    // As many as the system follows.
    for _ in 0..<40 {
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
      path = link.hasPrefix("/") ? link : split(path).directory + link
    }
    return path
  }

  /// The path up to its last slash, and what is behind it.
  static func split(_ path: String) -> (directory: Substring, name: Substring) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path[...]) }
    return (path[...slash], path[path.index(after: slash)...])
  }
}
