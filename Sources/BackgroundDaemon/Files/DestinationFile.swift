import Foundation

/// Puts a finished download under the name that was ordered, without ever replacing a file.
///
/// The finished file stays where it is until the queue knows of the end: a daemon that is killed in between finds both, and that they are
/// the same.
enum DestinationFile {
  /// What is ordered to be put here is dropped.
  static let nowhere = "/dev/null"

  /// nil after success, or what was wrong and what to do. May take long.
  static func place(_ finished: String, at destination: String) -> String? {
    guard destination.hasPrefix("/"), !destination.hasSuffix("/") else { return "\(destination) isn't an absolute path of a file." }
    if link(finished, destination) == 0 {
      makeReadable(destination)
      TransferFiles.synchronizeFolder(of: destination)
      return nil
    }
    switch errno {
    case EEXIST: return isSame(finished, destination) ? nil : existing(destination)
    case EXDEV, EPERM, EMLINK, EOPNOTSUPP: return copy(finished, to: destination)
    case let code: return text(destination, code)
    }
  }

  private static func existing(_ destination: String) -> String {
    "\(destination) exists, and isn't replaced. Remove it, or choose another name, and download again."
  }

  private static func text(_ path: String, _ code: Int32) -> String {
    "\(path) can't be written: \(String(cString: strerror(code)))"
  }

  /// Beside the destination first, so that nothing incomplete ever has its name.
  private static func copy(_ finished: String, to destination: String) -> String? {
    let draft = "\(destination).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
    let source = open(finished, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard source >= 0 else { return text(finished, errno) }
    defer { close(source) }
    let target = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard target >= 0 else { return text(destination, errno) }
    defer {
      close(target)
      unlink(draft)
    }
    guard copy(source, target), fsync(target) == 0 else { return text(destination, errno) }
    return publish(draft, as: destination, finished)
  }

  private static func publish(_ draft: String, as destination: String, _ finished: String) -> String? {
    if link(draft, destination) != 0 {
      let code = errno
      if code == EEXIST { return isSame(finished, destination) ? nil : existing(destination) }
      guard code == EPERM || code == EOPNOTSUPP || code == EMLINK else { return text(destination, code) }
      // A disk without links: an empty file of this daemon's takes the name, and is replaced.
      let place = open(destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
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

  /// The engine's files are readable by their owner alone; what was ordered has the usual permissions.
  private static func makeReadable(_ path: String) {
    let mask = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.split(separator: "\n")
      .first { $0.hasPrefix("Umask:") }.flatMap { mode_t($0.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8) }
    chmod(path, 0o666 & ~(mask ?? 0o077))
  }

  /// Whether both names have the same bytes: an earlier daemon has placed the file.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard lstat(one, &first) == 0, lstat(other, &second) == 0, second.st_mode & S_IFMT == S_IFREG else { return false }
    if first.st_dev == second.st_dev, first.st_ino == second.st_ino { return true }
    guard first.st_size == second.st_size else { return false }
    return FileManager.default.contentsEqual(atPath: one, andPath: other)
  }
}
