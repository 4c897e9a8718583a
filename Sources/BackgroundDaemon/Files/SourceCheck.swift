import BackgroundTransfers
import Foundation

/// Checks that the file of an upload is still the one that the app named: device, inode, size and time of modification.
enum SourceCheck {
  /// The error to end the transfer with; nil if the file is unchanged. Blocks if the file's disk does.
  static func fault(_ source: SourceFile) -> ErrorValue? {
    guard source.path.hasPrefix("/") else {
      return URLErrorValue.make(.badURL, "The path of the file to upload isn't absolute: \(source.path)")
    }
    let descriptor = open(source.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return unreadable(source.path, errno) }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return unreadable(source.path, errno) }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      return URLErrorValue.make(.cannotOpenFile, "\(source.path) isn't a file any longer; upload a file.")
    }
    let modified = Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec)
    guard UInt64(facts.st_dev) == source.device, UInt64(facts.st_ino) == source.inode, Int64(facts.st_size) == source.size,
      modified == source.modified
    else {
      return URLErrorValue.make(
        .cannotOpenFile, "\(source.path) has changed since the upload was made. Nothing was sent; make a new task for what the file is now."
      )
    }
    return nil
  }

  private static func unreadable(_ path: String, _ code: Int32) -> ErrorValue {
    switch code {
    case ENOENT, ENOTDIR: URLErrorValue.make(.fileDoesNotExist, "\(path) doesn't exist any longer; nothing was sent.")
    case EACCES, EPERM: URLErrorValue.make(.noPermissionsToReadFile, "\(path) can't be read: check its permissions.")
    case ELOOP: URLErrorValue.make(.cannotOpenFile, "\(path) has become a link; upload the file itself.")
    default: URLErrorValue.make(.cannotOpenFile, "\(path) can't be opened: \(String(cString: strerror(code)))")
    }
  }
}
