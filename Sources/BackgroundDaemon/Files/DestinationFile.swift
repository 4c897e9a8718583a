import Foundation

/// Puts a finished download at the destination that was ordered, without ever replacing a file.
///
/// The finished file stays in the daemon's folder until the end of the transfer is on disk: a daemon that is killed in between finds both files
/// again, and `isSame` recognizes the destination as its own.
enum DestinationFile {
  /// Destination of transfers whose content isn't wanted: the daemon drops the file instead of placing it.
  static let nowhere = "/dev/null"

  /// Permissions of a destination whose order has none.
  static let ownersAlone: UInt16 = 0o600

  /// Links or copies the finished file to its destination. Blocks as long as the disks take.
  /// - Parameter permissions: Those of the destination, whatever the umask of this process is; its owner always reads and writes it.
  /// - Returns: nil after success, or what went wrong and what the user can do.
  static func place(_ finished: String, at destination: String, permissions: UInt16) -> String? {
    guard destination.hasPrefix("/"), !destination.hasSuffix("/") else { return "\(destination) isn't an absolute path of a file." }
    let permissions = mode_t(permissions & 0o066 | 0o600)
    // Changed in the daemon's own folder, where no other user gets at the file; the destination is a second name of it.
    chmod(finished, permissions)
    if link(finished, destination) == 0 {
      TransferFiles.synchronizeFolder(of: destination)
      return nil
    }
    switch errno {
    case EEXIST: return isSame(finished, destination) ? nil : existing(destination)
    case EXDEV, EPERM, EMLINK, EOPNOTSUPP: return copy(finished, to: destination, permissions)
    case let code: return text(destination, code)
    }
  }

  private static func existing(_ destination: String) -> String {
    "\(destination) exists, and isn't replaced. Remove it, or choose another name, and download again."
  }

  private static func text(_ path: String, _ code: Int32) -> String {
    "\(path) can't be written: \(String(cString: strerror(code)))"
  }

  /// Copies to a temporary name beside the destination, then renames: the destination's name never stands for an incomplete file.
  private static func copy(_ finished: String, to destination: String, _ permissions: mode_t) -> String? {
    let draft = "\(destination).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
    let source = open(finished, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard source >= 0 else { return text(finished, errno) }
    defer { close(source) }
    let target = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard target >= 0 else { return text(destination, errno) }
    defer {
      close(target)
      unlink(draft)
    }
    // A file system without permissions may refuse.
    fchmod(target, permissions)
    guard copy(source, target), fsync(target) == 0 else { return text(destination, errno) }
    return publish(draft, as: destination, finished)
  }

  private static func publish(_ draft: String, as destination: String, _ finished: String) -> String? {
    if link(draft, destination) != 0 {
      let code = errno
      if code == EEXIST { return isSame(finished, destination) ? nil : existing(destination) }
      guard code == EPERM || code == EOPNOTSUPP || code == EMLINK else { return text(destination, code) }
      // The file system has no hard links: an empty file claims the name without replacing any, and the rename replaces this file.
      let place = open(destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard place >= 0 else {
        return errno == EEXIST ? (isSame(finished, destination) ? nil : existing(destination)) : text(destination, errno)
      }
      close(place)
      guard rename(draft, destination) == 0 else {
        let code = errno
        unlink(destination)
        return text(destination, code)
      }
    }
    TransferFiles.synchronizeFolder(of: destination)
    return nil
  }

  private static func copy(_ source: Int32, _ target: Int32) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(source, buffer.baseAddress, buffer.count)
      if count == 0 { return true }
      if count < 0, errno == EINTR { continue }
      guard count > 0, write(buffer, count, target) else { return false }
    }
  }

  private static func write(_ buffer: UnsafeMutableRawBufferPointer, _ count: Int, _ target: Int32) -> Bool {
    var position = 0
    while position < count {
      let written = Foundation.write(target, buffer.baseAddress?.advanced(by: position), count - position)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      position += written
    }
    return true
  }

  /// Whether both files have the same content: then an earlier daemon has placed the file, and was killed before the end was on disk.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard lstat(one, &first) == 0, lstat(other, &second) == 0, second.st_mode & S_IFMT == S_IFREG else { return false }
    if first.st_dev == second.st_dev, first.st_ino == second.st_ino { return true }
    guard first.st_size == second.st_size else { return false }
    return FileManager.default.contentsEqual(atPath: one, andPath: other)
  }
}
