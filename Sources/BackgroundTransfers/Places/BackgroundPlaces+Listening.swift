import Foundation
import Stores

// Where the daemon listens, and how apps find it.
//
// The daemon and an app may have different runtime folders: a cron job has no XDG_RUNTIME_DIR. The daemon's lock is in the data folder, so that there
// is only one daemon nevertheless, and the file `address` there has the path that it listens at.
//
// Where systemd listens, at a path of its own, `socket` is a symbolic link to that path, and `address` has it as well: through either of them an
// app's connection has systemd start the daemon.

extension BackgroundPlaces {
  private static let addressLimit = 4096

  /// Makes and listens at `socket`, and writes its path to `address`. The caller holds `lock`.
  package func listen() throws -> MessageListener {
    // The link to the socket of a service manager that doesn't listen any more.
    if isLink { unlink(socket) }
    let listener = try MessageListener(path: socket)
    try write(address: socket)
    return listener
  }

  /// Takes over the listening socket that the service manager has made, and lets apps find it. The caller holds `lock`.
  package func listen(at descriptor: Int32) throws -> MessageListener {
    if let path = LocalAddress.path(of: descriptor) { try announce(path) }
    return MessageListener(descriptor: descriptor)
  }

  /// Lets apps find the socket of a service manager: writes `address`, and makes `socket` a link.
  ///
  /// - Parameter path: The socket's absolute path.
  package func announce(_ path: String) throws {
    guard path.hasPrefix("/") else { throw Refusal(.badMessage, "The path of the socket must be absolute.") }
    try write(address: path)
    guard path != socket else { return }
    // The rename replaces an older link, or a socket that a daemon has made, atomically.
    let draft = socket + ".new"
    unlink(draft)
    guard symlink(path, draft) == 0, rename(draft, socket) == 0 else {
      throw Refusal(.storage, "\(socket) can't be made: \(String(cString: strerror(errno))).")
    }
  }

  /// Whether both `socket` and `address` lead to this socket.
  package func isAnnounced(_ path: String) -> Bool {
    var (here, there) = (stat(), stat())
    guard stat(path, &there) == 0, stat(socket, &here) == 0 else { return false }
    return here.st_dev == there.st_dev && here.st_ino == there.st_ino && writtenAddress == path
  }

  /// Whether a process listens where apps look for the daemon. If the caller holds `lock`, that is a service manager, which starts a daemon now.
  package var isAnswered: Bool { sockets.contains { (try? LocalAddress($0))?.isAnswered ?? false } }

  /// Paths where the daemon may listen: `socket` first, then the one in `address`.
  var sockets: [String] {
    guard let path = writtenAddress, path != socket else { return [socket] }
    return [socket, path]
  }

  private var writtenAddress: String? {
    guard let contents = try? PrivateFile.read(address), contents.count <= BackgroundPlaces.addressLimit,
      let path = String(data: contents, encoding: .utf8), path.hasPrefix("/")
    else { return nil }
    return path
  }

  private func write(address path: String) throws { try PrivateFile.write(Data(path.utf8), to: address) }

  private var isLink: Bool {
    var facts = stat()
    return lstat(socket, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
  }
}
