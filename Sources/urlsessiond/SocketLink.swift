import BackgroundTransfers
import Foundation

/// The name under which apps look for the daemon's socket, where systemd has made the socket under another one: a unit file can't have a
/// name that depends on the data folder.
enum SocketLink {
  static func make(to socket: String, for places: BackgroundPlaces) throws {
    guard socket.hasPrefix("/") else { throw Refusal(.badMessage, "the path of the socket must be absolute") }
    guard socket != places.socket else { return }
    // In the place of the link of an earlier time, at once.
    let draft = places.socket + ".new"
    unlink(draft)
    guard symlink(socket, draft) == 0, rename(draft, places.socket) == 0 else {
      throw Refusal(.storage, "\(places.socket) can't be made: \(String(cString: strerror(errno)))")
    }
  }
}
