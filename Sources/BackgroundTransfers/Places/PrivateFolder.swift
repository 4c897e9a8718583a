import Foundation

/// Folders that only their owner can use.
enum PrivateFolder {
  /// Makes the folder unless it exists, and takes away other users' permissions. The folder above it must exist.
  ///
  /// - Throws: `.storage` if there is something else than a folder of this user: in a folder like `/tmp` another user may have made it first.
  static func make(_ path: String) throws(Refusal) {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure(path, String(cString: strerror(errno))) }
    // The flags refuse a symbolic link, and anything that isn't a folder.
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, "it can't be opened as a folder: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else { throw failure(path, "it belongs to another user") }
    if status.st_mode & 0o077 != 0, fchmod(descriptor, 0o700) != 0 { throw failure(path, "others may use it") }
  }

  /// Makes the folder, and those above it that don't exist.
  static func makeAll(_ folder: URL) throws(Refusal) {
    let path = folder.path(percentEncoded: false)
    do {
      try FileManager.default.createDirectory(
        at: folder.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw failure(path, "the folder above it can't be made")
    }
    try make(path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
  }

  private static func failure(_ path: String, _ reason: String) -> Refusal {
    Refusal(.storage, "Background transfers can't use the folder \(path): \(reason). Remove it, or make the folder above it writable.")
  }
}
