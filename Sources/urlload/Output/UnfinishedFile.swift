import Foundation

/// A file under a temporary name in the directory of its final one. A value around a descriptor that `Output` owns.
///
/// Where no file can be made beside the one that is to be replaced, the content waits in a file without a name, and is written over that
/// file's at the end (`OverwrittenFile`): until then what is there stays.
struct UnfinishedFile: Sendable {
  let descriptor: Int32
  /// The name it is to have.
  let path: String
  private let target: String
  /// nil for a file without a name.
  private let temporary: String?
  private let replaces: Bool

  /// Makes the file.
  /// - Parameter replaces: Whether an existing file of the name may be replaced.
  /// - Throws: If it can't be made, or exists and must not be replaced.
  init(for path: String, replaces: Bool) throws(ToolFailure) {
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, !replaces { throw WriteFailure.exists(path) }
    if exists { try FileTarget.demandWritable(path) }
    // A symbolic link stays one: what it leads to is replaced, or made.
    target = replaces ? FileTarget.followed(path) : path
    self.path = path
    self.replaces = replaces
    let (directory, name) = FileTarget.split(target)
    // Cut so that the temporary name is no longer than a file system allows.
    let stem = String(decoding: name.utf8.prefix(200), as: UTF8.self)
    let beside = "\(directory).\(stem).urlload-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let made = open(beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    if made >= 0 {
      (descriptor, temporary) = (made, beside)
      // What replaces a file gets its permissions; a new file those that the umask leaves.
      if exists { _ = fchmod(made, status.st_mode & 0o777) }
      return
    }
    let code = errno
    guard exists, UnfinishedFile.keepsFolder(code), let nameless = NamelessFile.make() else {
      throw WriteFailure.failure(path, code)
    }
    (descriptor, temporary) = (nameless, nil)
  }

  /// Whether an error means that names in the folder can't be changed, which says nothing of its files.
  private static func keepsFolder(_ code: Int32) -> Bool { code == EACCES || code == EPERM || code == EROFS || code == EBUSY }

  /// Closes the file and gives it its name.
  /// - Returns: nil once it has its name; else the content, which is to be written over that of the file that is there.
  /// - Throws: If either fails; the file is removed then.
  func commit() throws(ToolFailure) -> OverwrittenFile? {
    guard let temporary else { return OverwrittenFile(content: descriptor, temporary: nil, target: target, path: path) }
    // Delayed errors, such as those of a quota or a network file system, come with the closing.
    guard close(descriptor) == 0 else { throw removing(WriteFailure.failure(path, errno)) }
    if replaces {
      guard rename(temporary, target) != 0 else { return nil }
      let code = errno
      // Of another user's file in a folder such as /tmp, and of a mount point, the content alone can be replaced.
      let content = UnfinishedFile.keepsFolder(code) ? open(temporary, O_RDONLY | O_CLOEXEC) : -1
      guard content >= 0 else { throw removing(WriteFailure.failure(path, code)) }
      return OverwrittenFile(content: content, temporary: temporary, target: target, path: path)
    }
    // A hard link fails where a file of the name has come into being; a rename would replace it.
    guard link(temporary, target) == 0 else {
      throw removing(errno == EEXIST ? WriteFailure.exists(path) : WriteFailure.failure(path, errno))
    }
    unlink(temporary)
    return nil
  }

  /// Closes the file and puts it aside under `name`.
  /// - Returns: Whether it could be.
  func setAside(as name: String) -> Bool {
    defer { close(descriptor) }
    guard let temporary else { return false }
    if rename(temporary, name) == 0 { return true }
    unlink(temporary)
    return false
  }

  /// Closes and removes the file.
  func discard() {
    close(descriptor)
    if let temporary { unlink(temporary) }
  }

  private func removing(_ failure: ToolFailure) -> ToolFailure {
    if let temporary { unlink(temporary) }
    return failure
  }
}
