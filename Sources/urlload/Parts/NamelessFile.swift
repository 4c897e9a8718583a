import Foundation

/// Files without a name in the folder for temporary files, which are deleted when their descriptor is closed.
enum NamelessFile {
  /// O_TMPFILE of <fcntl.h>, a macro that Swift doesn't import.
  private static let withoutName: Int32 = 0o20_000_000 | O_DIRECTORY

  /// Makes a file without a name, open for reading and writing.
  /// - Returns: Its descriptor, which the caller closes; nil if none can be made.
  static func make() -> Int32? {
    let folder = FileManager.default.temporaryDirectory
    let made = open(folder.path, O_RDWR | withoutName | O_CLOEXEC, 0o600)
    if made >= 0 { return made }
    // The file system doesn't support O_TMPFILE: makes a file and removes its name. Such a file can't get a name again.
    var name = Array(folder.appending(path: "urlload-XXXXXX").path.utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(name)
    return descriptor
  }

  /// The path by which this process can open the file of a descriptor, even if the file has no name.
  static func path(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  /// Gives a file that `make` made a name in the folder for temporary files.
  /// - Returns: Its path; nil if it can't have one.
  static func name(_ descriptor: Int32) -> String? {
    let name = "urlload-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let path = FileManager.default.temporaryDirectory.appending(path: name).path
    return linkat(AT_FDCWD, NamelessFile.path(descriptor), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? path : nil
  }
}
