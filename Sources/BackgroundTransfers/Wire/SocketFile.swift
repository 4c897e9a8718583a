import CLoadingProcess
import Foundation

/// The file of a listening socket, recognized by device and inode, so that a file that has replaced it isn't mistaken for it.
struct SocketFile: Sendable {
  /// Maximum number of connections that wait to be accepted; the system may bound it further.
  private static let backlog: Int32 = 512

  private let path: String
  private let device: dev_t
  private let inode: ino_t

  private init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    (self.path, device, inode) = (path, status.st_dev, status.st_ino)
  }

  /// Whether the file still exists, and is the same one.
  var isThere: Bool {
    guard let now = SocketFile(path) else { return false }
    return now.device == device && now.inode == inode
  }

  func remove() { if isThere { unlink(path) } }

  /// Makes a listening socket and its file; an existing socket file of this user is replaced.
  static func listen(_ address: LocalAddress) throws(Refusal) -> (Int32, SocketFile) {
    try removeStale(address.path)
    let descriptor = uls_local_socket()
    guard descriptor >= 0 else { throw failure(address.path, errno) }
    // The file gets the socket's permissions, less those of the umask: at no moment can another user connect.
    fchmod(descriptor, 0o600)
    var code = address.bind(descriptor)
    if code == 0, Foundation.listen(descriptor, backlog) != 0 { code = errno }
    guard code == 0, let file = SocketFile(address.path) else {
      _ = Foundation.close(descriptor)
      throw failure(address.path, code == 0 ? ENOENT : code)
    }
    return (descriptor, file)
  }

  private static func removeStale(_ path: String) throws(Refusal) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw failure(path, errno)
    }
    guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
      throw Refusal(.storage, "The daemon can't listen at \(path): what is there isn't a socket of this user; remove it.")
    }
    guard unlink(path) == 0 || errno == ENOENT else { throw failure(path, errno) }
  }

  private static func failure(_ path: String, _ code: Int32) -> Refusal {
    Refusal(.storage, "The daemon can't listen at \(path): \(String(cString: strerror(code))).")
  }
}
