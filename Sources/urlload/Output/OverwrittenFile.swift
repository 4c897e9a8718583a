import Foundation

/// Writes complete content over that of an existing file, which stays in its place: used if the folder's permissions don't allow replacing the file
/// by a rename. A value around the descriptor of the content, which `Output` owns.
///
/// The file is enlarged before it is changed, so that a full disk leaves it unchanged. An error after that leaves it with neither the old nor the new
/// content: then the new content is kept under a name.
struct OverwrittenFile: Sendable {
  private static let pieceSize = 256 * 1024

  /// Descriptor of the new content, open for reading; closed by `write`.
  let content: Int32
  /// Path of the new content; nil if its file has no name.
  let temporary: String?
  /// Path of the existing file, with symbolic links resolved.
  let target: String
  /// Name of the file for messages.
  let path: String

  /// The result of an attempt, with `errno`.
  private enum Ending {
    case written
    /// The file is unchanged.
    case refused(Int32)
    /// The file may have parts of both contents.
    case brokenOff(Int32)
  }

  /// Writes the content, and removes the temporary file. May block.
  /// - Throws: If it fails: the file is unchanged, or the message says where the new content is.
  func write() throws(ToolFailure) {
    defer { close(content) }
    switch overwrite() {
    case .written: if let temporary { unlink(temporary) }
    case .refused(let code):
      if let temporary { unlink(temporary) }
      throw WriteFailure.failure(path, code)
    case .brokenOff(let code):
      let kept = keep()
      throw WriteFailure.brokenOff(path, code, keptAs: kept)
    }
  }

  /// Keeps the new content under its name, or under a new one in the folder for temporary files.
  /// - Returns: The path; nil if it can't get a name.
  func keep() -> String? { temporary ?? NamelessFile.name(content) }

  private func overwrite() -> Ending {
    var (new, old) = (stat(), stat())
    guard fstat(content, &new) == 0 else { return .refused(errno) }
    // Opened for reading, too: if the file system can't reserve space, glibc emulates that by reading and writing each block.
    var file = open(target, O_RDWR | O_CLOEXEC)
    if file < 0, errno == EACCES { file = open(target, O_WRONLY | O_CLOEXEC) }
    guard file >= 0 else { return .refused(errno) }
    guard fstat(file, &old) == 0 else {
      defer { close(file) }
      return .refused(errno)
    }
    if let code = reserve(new.st_size, in: file) {
      // A reservation that has failed may have enlarged the file: its length is restored.
      ftruncate(file, old.st_size)
      close(file)
      return .refused(code)
    }
    if let code = copy(to: file) ?? (ftruncate(file, new.st_size) == 0 ? nil : errno) {
      close(file)
      return .brokenOff(code)
    }
    // Errors of quotas and network file systems may be reported only when the file is closed.
    return close(file) == 0 ? .written : .brokenOff(errno)
  }

  /// Reserves space for the file's new length.
  /// - Returns: `errno` if there isn't enough space; nil if it is reserved, or if the file system can't reserve any.
  private func reserve(_ length: off_t, in file: Int32) -> Int32? {
    guard length > 0 else { return nil }
    switch posix_fallocate(file, 0, length) {
    case 0, EOPNOTSUPP, EINVAL, ENODEV, ESPIPE, EBADF, ENOSYS: return nil
    case let code: return code
    }
  }

  /// Copies the new content over the old one.
  /// - Returns: `errno` if that fails; nil after success.
  private func copy(to file: Int32) -> Int32? {
    var offset: Int64 = 0
    while true {
      switch Descriptor.read(content, at: offset, count: OverwrittenFile.pieceSize) {
      case .failure(let failure): return failure.code
      case .success(let data):
        if data.isEmpty { return nil }
        if let code = Descriptor.writeAll(data, to: file) { return code }
        offset += Int64(data.count)
      }
    }
  }
}
