import Foundation
import Stores

// Where the daemon listens, and how apps find it.
//
// The daemon and an app may have different runtime folders: a job of cron has no XDG_RUNTIME_DIR. The daemon's lock is in the data folder, so
// that there is one daemon nevertheless; the file `address` leads to it.
//
// Where systemd listens, under a name of its own, `socket` is a link to that name, and `address` has it: whichever an app uses, systemd
// starts the daemon.

extension BackgroundPlaces {
  private static let addressLimit = 4096

  /// Listens at `socket`, and writes down where. The caller holds `lock`.
  package func listen() throws -> MessageListener {
    // That of a service manager which listens no longer.
    if isLink { unlink(socket) }
    let listener = try MessageListener(path: socket)
    try write(address: socket)
    return listener
  }

  /// Listens at a socket that the service manager has made, and has apps find it. The caller holds `lock`.
  package func listen(at descriptor: Int32) throws -> MessageListener {
    if let path = LocalAddress.path(of: descriptor) { try announce(path) }
    return MessageListener(descriptor: descriptor)
  }

  /// Has apps find the socket of a service manager.
  ///
  /// - Parameter path: Absolute.
  package func announce(_ path: String) throws {
    guard path.hasPrefix("/") else { throw Refusal(.badMessage, "The path of the socket must be absolute.") }
    try write(address: path)
    guard path != socket else { return }
    // In the place of the link of an earlier time, or of a daemon's socket, at once.
    let draft = socket + ".new"
    unlink(draft)
    guard symlink(path, draft) == 0, rename(draft, socket) == 0 else {
      throw Refusal(.storage, "\(socket) can't be made: \(String(cString: strerror(errno))).")
    }
  }

  /// Whether apps that look for the daemon come to this socket.
  package func isAnnounced(_ path: String) -> Bool {
    var (here, there) = (stat(), stat())
    guard stat(path, &there) == 0, stat(socket, &here) == 0 else { return false }
    return here.st_dev == there.st_dev && here.st_ino == there.st_ino && writtenAddress == path
  }

  /// Whether a process listens where apps look. If the caller holds `lock`, that is a service manager, which starts a daemon now.
  package var isAnswered: Bool { sockets.contains { (try? LocalAddress($0))?.isAnswered ?? false } }

  /// Where the daemon may listen: the likelier place first.
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
