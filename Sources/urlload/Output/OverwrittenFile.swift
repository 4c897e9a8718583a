import Foundation

/// A complete content that is written over that of a file which keeps its place: where names in the file's folder can't be changed, a rename
/// can't replace it. A value around the descriptor of the content, which `Output` owns.
///
/// The file is lengthened before it is changed, so that a lack of space leaves it as it was. What fails behind that leaves neither the old
/// content nor the new one in it: then the waiting content is kept under a name.
struct OverwrittenFile: Sendable {
  private static let pieceSize = 256 * 1024

  /// Of the content, open for reading; closed by `write`.
  let content: Int32
  /// The content's name; nil for a file without one.
  let temporary: String?
  /// The file that is written over, symbolic links followed.
  let target: String
  /// What the file is called in messages.
  let path: String

  /// How the attempt ended; the codes are the system's error numbers.
  private enum Ending {
    case written
    /// The file is as it was.
    case refused(Int32)
    /// The file has parts of both contents.
    case brokenOff(Int32)
  }

  /// Writes the content, which may block, and removes the temporary file.
  /// - Throws: If it fails: the file is as it was, or the message names where the content is.
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

  /// Keeps the content where it is or, if it has no name, under one in the folder for temporary files.
  /// - Returns: Its name; nil if it can't get one.
  func keep() -> String? { temporary ?? NamelessFile.name(content) }

  private func overwrite() -> Ending {
    var (new, old) = (stat(), stat())
    guard fstat(content, &new) == 0 else { return .refused(errno) }
    // A file system that can't reserve space is asked byte by byte whether it has it, for which the file must be readable.
    var file = open(target, O_RDWR | O_CLOEXEC)
    if file < 0, errno == EACCES { file = open(target, O_WRONLY | O_CLOEXEC) }
    guard file >= 0 else { return .refused(errno) }
    guard fstat(file, &old) == 0 else {
      defer { close(file) }
      return .refused(errno)
    }
    if let code = reserve(new.st_size, in: file) {
      // What a part of the reservation has lengthened.
      ftruncate(file, old.st_size)
      close(file)
      return .refused(code)
    }
    if let code = copy(to: file) ?? (ftruncate(file, new.st_size) == 0 ? nil : errno) {
      close(file)
      return .brokenOff(code)
    }
    // Delayed errors, such as those of a quota or a network file system, come with the closing.
    return close(file) == 0 ? .written : .brokenOff(errno)
  }

  /// Reserves room for so many bytes.
  /// - Returns: The system's error number, if there isn't enough; nil also where none can be reserved.
  private func reserve(_ length: off_t, in file: Int32) -> Int32? {
    guard length > 0 else { return nil }
    switch posix_fallocate(file, 0, length) {
    case 0, EOPNOTSUPP, EINVAL, ENODEV, ESPIPE, EBADF, ENOSYS: return nil
    case let code: return code
    }
  }

  /// - Returns: The system's error number, if it failed.
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
