import Foundation
import Stores

// The daemon and an app may have different runtime folders: a job of cron has no XDG_RUNTIME_DIR. The daemon's lock is in the data folder, so
// that there is one daemon nevertheless; the file `address` leads to it.

extension BackgroundPlaces {
  private static let addressLimit = 4096

  /// Listens at the socket, and writes down where. The caller holds `lock`.
  package func listen() throws -> MessageListener {
    let listener = try MessageListener(path: socket)
    try PrivateFile.write(Data(socket.utf8), to: address)
    return listener
  }

  /// Where the daemon may listen: the likelier place first.
  var sockets: [String] {
    guard let contents = try? PrivateFile.read(address), contents.count <= BackgroundPlaces.addressLimit,
      let path = String(data: contents, encoding: .utf8), path.hasPrefix("/"), path != socket
    else { return [socket] }
    return [socket, path]
  }
}
