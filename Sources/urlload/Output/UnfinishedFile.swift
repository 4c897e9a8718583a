import Foundation

/// A file under a temporary name in the directory of its final one. A value around a descriptor that `Output` owns.
struct UnfinishedFile: Sendable {
  let descriptor: Int32
  /// The name it is to have.
  let path: String
  private let target: String
  private let temporary: String
  private let replaces: Bool

  /// Makes the file.
  /// - Parameter replaces: Whether an existing file of the name may be replaced.
  /// - Throws: If it can't be made, or exists and must not be replaced.
  init(for path: String, replaces: Bool) throws(ToolFailure) {
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, !replaces { throw WriteFailure.exists(path) }
    // A symbolic link stays one: what it leads to is replaced.
    target = exists ? URL(filePath: path).resolvingSymlinksInPath().path : path
    let (directory, name) = UnfinishedFile.split(target)
    // Cut so that the temporary name is no longer than a file system allows.
    let stem = String(decoding: name.utf8.prefix(200), as: UTF8.self)
    temporary = "\(directory).\(stem).urlload-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw WriteFailure.failure(path, errno) }
    // What replaces a file gets its permissions; a new file those that the umask leaves.
    if exists { _ = fchmod(descriptor, status.st_mode & 0o777) }
    self.path = path
    self.replaces = replaces
  }

  private static func split(_ path: String) -> (directory: Substring, name: Substring) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path[...]) }
    return (path[...slash], path[path.index(after: slash)...])
  }

  /// Closes the file and gives it its name.
  /// - Throws: If either fails; the file is removed then.
  func commit() throws(ToolFailure) {
    // Delayed errors, such as those of a quota or a network file system, come with the closing.
    guard close(descriptor) == 0 else { throw removing(WriteFailure.failure(path, errno)) }
    if replaces {
      guard rename(temporary, target) == 0 else { throw removing(WriteFailure.failure(path, errno)) }
      return
    }
    // A hard link fails where a file of the name has come into being; a rename would replace it.
    guard link(temporary, target) == 0 else {
      throw removing(errno == EEXIST ? WriteFailure.exists(path) : WriteFailure.failure(path, errno))
    }
    unlink(temporary)
  }

  /// Closes the file and puts it aside under `name`.
  func setAside(as name: String) {
    rename(temporary, name)
    close(descriptor)
  }

  /// Closes and removes the file.
  func discard() {
    close(descriptor)
    unlink(temporary)
  }

  private func removing(_ failure: ToolFailure) -> ToolFailure {
    unlink(temporary)
    return failure
  }
}
