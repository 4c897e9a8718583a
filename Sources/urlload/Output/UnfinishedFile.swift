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
  private let existing: ExistingFile

  /// How a complete file has got its place.
  enum Ending {
    /// The file has this path.
    case named(String)
    /// The content is to be written over the existing file.
    case overwrites(OverwrittenFile)
  }

  /// Makes the file.
  /// - Parameter existing: What becomes of an existing file of the final name.
  /// - Throws: If the file can't be made, or exists and is neither replaced nor avoided.
  init(for path: String, _ existing: ExistingFile) throws(ToolFailure) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, existing == .refused { throw WriteFailure.exists(path) }
    let replaces = isThere && existing == .replaced
    if replaces { try FileTarget.demandWritable(path) }
    // If the final path is a symbolic link, the link stays, and the file that it leads to is replaced or made.
    target = existing == .replaced ? FileTarget.followed(path) : path
    self.path = path
    self.existing = existing
    let (directory, name) = FileTarget.split(target)
    // The name is cut, so that the temporary name isn't longer than a file system allows.
    let stem = String(decoding: name.utf8.prefix(200), as: UTF8.self)
    let beside = "\(directory).\(stem).urlload-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let made = open(beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    if made >= 0 {
      (descriptor, temporary) = (made, beside)
      // A file that replaces another one gets its owner and permissions; a new one the permissions that the umask allows.
      if replaces { FileTarget.adopt(status, made) }
      return
    }
    let code = errno
    guard replaces, UnfinishedFile.keepsFolder(code), let nameless = NamelessFile.make() else {
      throw WriteFailure.failure(path, code)
    }
    (descriptor, temporary) = (nameless, nil)
  }

  /// Whether the error means that files can't be made or renamed in the folder, while an existing file may still be writable.
  private static func keepsFolder(_ code: Int32) -> Bool { code == EACCES || code == EPERM || code == EROFS || code == EBUSY }

  /// Closes the file and renames it to its final path, if the existing file can be replaced by that.
  /// - Throws: If the content can't be written over the existing file either; the file is removed then.
  func commit() throws(ToolFailure) -> Ending {
    guard let temporary else { return .overwrites(OverwrittenFile(content: descriptor, temporary: nil, target: target, path: path)) }
    // Errors of quotas and network file systems may be reported only when the file is closed.
    guard close(descriptor) == 0 else { throw removing(WriteFailure.failure(path, errno)) }
    do throws(Descriptor.Failure) {
      let name = try existing.rename(temporary, to: target)
      return .named(existing == .replaced ? path : name)
    } catch {
      guard existing == .replaced else {
        throw removing(error.code == EEXIST ? WriteFailure.exists(path) : WriteFailure.failure(path, error.code))
      }
      // The rename fails for another user's file in a folder such as /tmp, and for a mount point: only the content of these can be replaced.
      let content = UnfinishedFile.keepsFolder(error.code) ? open(temporary, O_RDONLY | O_CLOEXEC) : -1
      guard content >= 0 else { throw removing(WriteFailure.failure(path, error.code)) }
      return .overwrites(OverwrittenFile(content: content, temporary: temporary, target: target, path: path))
    }
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
