import Foundation

/// A file under a temporary name in the directory of its final one. A value around a descriptor that `Output` owns.
///
/// Where no file can be made beside the one that is to be replaced, the content waits in a file without a name, and is copied at the end: until
/// then what is there stays.
struct UnfinishedFile: Sendable {
  private static let pieceSize = 256 * 1024

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
    guard exists, UnfinishedFile.keepsFolder(code), let nameless = UnfinishedFile.nameless() else {
      throw WriteFailure.failure(path, code)
    }
    (descriptor, temporary) = (nameless, nil)
  }

  /// Whether an error means that names in the folder can't be changed, which says nothing of its files.
  private static func keepsFolder(_ code: Int32) -> Bool { code == EACCES || code == EPERM || code == EROFS || code == EBUSY }

  /// A file that ends with its descriptor; nil if none can be made.
  private static func nameless() -> Int32? {
    var name = Array(FileManager.default.temporaryDirectory.appending(path: "urlload-XXXXXX").path.utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(name)
    return descriptor
  }

  /// Closes the file and gives it its name.
  /// - Throws: If either fails; the file is removed then.
  func commit() throws(ToolFailure) {
    guard let temporary else {
      defer { close(descriptor) }
      if let code = overwrite(from: descriptor) { throw WriteFailure.failure(path, code) }
      return
    }
    // Delayed errors, such as those of a quota or a network file system, come with the closing.
    guard close(descriptor) == 0 else { throw removing(WriteFailure.failure(path, errno)) }
    if replaces {
      guard rename(temporary, target) != 0 else { return }
      let code = errno
      // Of another user's file in a folder such as /tmp, and of a mount point, the content alone can be replaced.
      let source = UnfinishedFile.keepsFolder(code) ? open(temporary, O_RDONLY | O_CLOEXEC) : -1
      guard source >= 0 else { throw removing(WriteFailure.failure(path, code)) }
      defer { close(source) }
      if let code = overwrite(from: source) { throw removing(WriteFailure.failure(path, code)) }
      unlink(temporary)
      return
    }
    // A hard link fails where a file of the name has come into being; a rename would replace it.
    guard link(temporary, target) == 0 else {
      throw removing(errno == EEXIST ? WriteFailure.exists(path) : WriteFailure.failure(path, errno))
    }
    unlink(temporary)
  }

  /// Writes the content of a file into the target.
  /// - Returns: The system's error number, if it failed.
  private func overwrite(from source: Int32) -> Int32? {
    let file = open(target, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard file >= 0 else { return errno }
    var offset: Int64 = 0
    while true {
      let code: Int32?
      switch Descriptor.read(source, at: offset, count: UnfinishedFile.pieceSize) {
      case .failure(let failure): code = failure.code
      case .success(let data):
        if data.isEmpty { return close(file) == 0 ? nil : errno }
        offset += Int64(data.count)
        code = Descriptor.writeAll(data, to: file)
      }
      if let code {
        close(file)
        return code
      }
    }
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
