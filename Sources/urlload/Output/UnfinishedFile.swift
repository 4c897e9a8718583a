import Foundation

/// A file under a temporary name in the folder of its final one. A value around a descriptor that `Output` owns.
///
/// If no file can be made beside an existing one that is to be replaced, the content is written to a file without a name, and over the existing file
/// at the end (`OverwrittenFile`): until then the existing file stays unchanged.
struct UnfinishedFile: Sendable {
  let descriptor: Int32
  /// The file's final path.
  let path: String
  private let target: String
  /// The temporary path; nil for a file without a name.
  private let temporary: String?
  private let replaces: Bool

  /// Makes the file.
  /// - Parameter replaces: Whether an existing file of the final name may be replaced.
  /// - Throws: If the file can't be made, or exists and must not be replaced.
  init(for path: String, replaces: Bool) throws(ToolFailure) {
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, !replaces { throw WriteFailure.exists(path) }
    if exists { try FileTarget.demandWritable(path) }
    // If the final path is a symbolic link, the link stays, and the file that it leads to is replaced or made.
    target = replaces ? FileTarget.followed(path) : path
    self.path = path
    self.replaces = replaces
    let (directory, name) = FileTarget.split(target)
    // The name is cut, so that the temporary name isn't longer than a file system allows.
    let stem = String(decoding: name.utf8.prefix(200), as: UTF8.self)
    let beside = "\(directory).\(stem).urlload-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let made = open(beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    if made >= 0 {
      (descriptor, temporary) = (made, beside)
      // A file that replaces another one gets its permissions; a new one those that the umask allows.
      if exists { _ = fchmod(made, status.st_mode & 0o777) }
      return
    }
    let code = errno
    guard exists, UnfinishedFile.keepsFolder(code), let nameless = NamelessFile.make() else {
      throw WriteFailure.failure(path, code)
    }
    (descriptor, temporary) = (nameless, nil)
  }

  /// Whether the error means that files can't be made or renamed in the folder, while an existing file may still be writable.
  private static func keepsFolder(_ code: Int32) -> Bool { code == EACCES || code == EPERM || code == EROFS || code == EBUSY }

  /// Closes the file and renames it to its final path.
  /// - Returns: nil if that is done; otherwise the content, which is to be written over the existing file.
  /// - Throws: If both are impossible; the file is removed then.
  func commit() throws(ToolFailure) -> OverwrittenFile? {
    guard let temporary else { return OverwrittenFile(content: descriptor, temporary: nil, target: target, path: path) }
    // Errors of quotas and network file systems may be reported only when the file is closed.
    guard close(descriptor) == 0 else { throw removing(WriteFailure.failure(path, errno)) }
    if replaces {
      guard rename(temporary, target) != 0 else { return nil }
      let code = errno
      // The rename fails for another user's file in a folder such as /tmp, and for a mount point: only the content of these can be replaced.
      let content = UnfinishedFile.keepsFolder(code) ? open(temporary, O_RDONLY | O_CLOEXEC) : -1
      guard content >= 0 else { throw removing(WriteFailure.failure(path, code)) }
      return OverwrittenFile(content: content, temporary: temporary, target: target, path: path)
    }
    // A hard link fails if a file of the name has been made meanwhile, which a rename would replace.
    guard link(temporary, target) == 0 else {
      throw removing(errno == EEXIST ? WriteFailure.exists(path) : WriteFailure.failure(path, errno))
    }
    unlink(temporary)
    return nil
  }

  /// Closes the file and renames it to `name`.
  /// - Returns: Whether that was possible; if not, the file is removed.
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
