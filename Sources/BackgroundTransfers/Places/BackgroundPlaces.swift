import Cryptography
import Foundation
import LoadingModel
import Stores

/// The daemon's folders and its socket. All processes of a user find the same places if these variables of their environments are the same.
///
///     data     $URL_LOADING_SYSTEM_HOME/urlsessiond, $XDG_DATA_HOME/urlsessiond, ~/.local/share/urlsessiond
///     settings $URL_LOADING_SYSTEM_HOME/settings/urlsessiond, $XDG_CONFIG_HOME/urlsessiond, ~/.config/urlsessiond
///     socket   $XDG_RUNTIME_DIR/urlsessiond/<hash of data>.sock, /tmp/urlsessiond-<user>/<hash of data>.sock, or in data
package struct BackgroundPlaces: Sendable {
  private static let name = "urlsessiond"

  /// The data folder's real path, without symbolic links: there is one daemon for each such path.
  package let data: URL
  /// Path of the socket that the daemon makes, or of the link to a service manager's.
  package let socket: String
  /// Folder of the key by which the database's records are encrypted.
  package let settings: URL

  /// The file that a running daemon holds locked.
  package var lock: URL { data.appending(path: "lock", directoryHint: .notDirectory) }
  /// Folder of downloads under way, and of finished ones that their apps haven't taken.
  package var files: URL { data.appending(path: "files", directoryHint: .isDirectory) }
  /// Folder of the journals in which apps note the events that they have taken.
  package var taken: URL { data.appending(path: "taken", directoryHint: .isDirectory) }
  /// The database of transfers; made with the first background session.
  package var queue: URL { data.appending(path: "queue.sqlite", directoryHint: .notDirectory) }
  /// File with the path that the daemon listens at, for apps whose environment has another runtime folder.
  package var address: URL { data.appending(path: "address", directoryHint: .notDirectory) }

  /// Finds the places, and makes the folders except `settings`, for this user alone.
  ///
  /// - Parameters:
  ///   - home: The user's home folder, used if `HOME` isn't an absolute path.
  ///   - temporary: The folder for temporary files of all users.
  /// - Throws: `.storage` if a folder can't be made, or is another user's.
  package init(environment: [String: String], home: URL, temporary: String = "/tmp") throws(Refusal) {
    let standard = StoreLocation(environment: environment, home: home, app: BackgroundPlaces.name)
    let own = environment["URL_LOADING_SYSTEM_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0, directoryHint: .isDirectory) : nil }
    let data = own?.appending(path: BackgroundPlaces.name, directoryHint: .isDirectory) ?? standard.data
    settings = own == nil ? standard.settings : standard.settings.appending(path: BackgroundPlaces.name, directoryHint: .isDirectory)
    try PrivateFolder.makeAll(data)
    let path = try BackgroundPlaces.realPath(data)
    self.data = URL(filePath: path, directoryHint: .isDirectory)
    let name = HashFunction.sha256.hash(Data(path.utf8)).prefix(8).hexadecimal
    socket = try (BackgroundPlaces.runtimeFolder(environment, temporary) ?? String(path)) + "/\(name).sock"
    try PrivateFolder.makeAll(files)
    try PrivateFolder.makeAll(taken)
  }

  /// The places according to this process's environment.
  package static func standard() throws(Refusal) -> BackgroundPlaces {
    try BackgroundPlaces(
      environment: ProcessEnvironment.variables, home: ProcessEnvironment.home)
  }

  /// Resolves links, because two paths to one folder must lead to the same daemon.
  private static func realPath(_ folder: URL) throws(Refusal) -> String {
    let path = folder.path(percentEncoded: false)
    guard let real = realpath(path, nil) else {
      throw Refusal(.storage, "Background transfers can't use the folder \(path): \(String(cString: strerror(errno))).")
    }
    defer { free(real) }
    return String(cString: real)
  }

  /// The folder for the socket; nil if another user has made the folder of that name in `temporary`.
  private static func runtimeFolder(_ environment: [String: String], _ temporary: String) throws(Refusal) -> String? {
    var status = stat()
    if let path = environment["XDG_RUNTIME_DIR"], path.hasPrefix("/"), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid()
    {
      let folder = URL(filePath: path, directoryHint: .isDirectory).path(percentEncoded: false) + name
      try PrivateFolder.make(folder)
      return folder
    }
    let folder = "\(temporary)/\(name)-\(geteuid())"
    do { try PrivateFolder.make(folder) } catch { return nil }
    return folder
  }
}
