import Foundation

/// Files without a name in the folder for temporary files, which end with their descriptors.
enum NamelessFile {
  /// <fcntl.h>: O_TMPFILE, a macro that Swift doesn't see.
  private static let withoutName: Int32 = 0o20_000_000 | O_DIRECTORY

  /// Makes one, open for reading and writing, that the user alone can open.
  /// - Returns: Its descriptor, the caller's to close; nil if none can be made.
  static func make() -> Int32? {
    let folder = FileManager.default.temporaryDirectory
    let made = open(folder.path, O_RDWR | withoutName | O_CLOEXEC, 0o600)
    if made >= 0 { return made }
    // Of a file system that makes files with names alone. Such a file can't get one again.
    var name = Array(folder.appending(path: "urlload-XXXXXX").path.utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(name)
    return descriptor
  }

  /// The path by which this process opens the file of a descriptor, whether it has a name or not.
  static func path(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  /// Gives a file that `make` made a name in the folder for temporary files.
  /// - Returns: Its path; nil if it can't have one.
  static func name(_ descriptor: Int32) -> String? {
    let name = "urlload-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let path = FileManager.default.temporaryDirectory.appending(path: name).path
    return linkat(AT_FDCWD, NamelessFile.path(descriptor), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? path : nil
  }
}
