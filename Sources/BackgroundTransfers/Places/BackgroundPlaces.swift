import Cryptography
import Foundation
import LoadingModel
import Stores

/// Where the daemon keeps what it has, and where apps find it. The same for all processes of a user, as far as their environment is.
///
///     data     $URL_LOADING_SYSTEM_HOME/urlsessiond, $XDG_DATA_HOME/urlsessiond, ~/.local/share/urlsessiond
///     settings $URL_LOADING_SYSTEM_HOME/settings/urlsessiond, $XDG_CONFIG_HOME/urlsessiond, ~/.config/urlsessiond
///     socket   $XDG_RUNTIME_DIR/urlsessiond/<hash of data>.sock, /tmp/urlsessiond-<user>/<hash of data>.sock, or in data
package struct BackgroundPlaces: Sendable {
  private static let name = "urlsessiond"

  /// The real path, without links: it names the daemon.
  package let data: URL
  /// Path of the socket.
  package let socket: String
  /// Where the key is.
  package let settings: URL

  /// Held by the daemon while it runs.
  package var lock: URL { data.appending(path: "lock", directoryHint: .notDirectory) }
  /// Downloads under way, and finished ones that their apps haven't taken.
  package var files: URL { data.appending(path: "files", directoryHint: .isDirectory) }
  /// The journals of what apps have taken.
  package var taken: URL { data.appending(path: "taken", directoryHint: .isDirectory) }
  /// The queue's database, made with the first background session.
  package var queue: URL { data.appending(path: "queue.sqlite", directoryHint: .notDirectory) }
  /// Holds the path that the daemon listens at, for apps whose environment names another runtime folder.
  package var address: URL { data.appending(path: "address", directoryHint: .notDirectory) }

  /// Makes the folders, but for `settings`, for this user alone.
  ///
  /// - Parameters:
  ///   - home: Where `HOME` isn't set to an absolute path.
  ///   - temporary: The folder that all users share.
  /// - Throws: `.storage` if a folder can't be made or is another user's.
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

  /// This process's.
  package static func standard() throws(Refusal) -> BackgroundPlaces {
    try BackgroundPlaces(
      environment: ProcessEnvironment.variables, home: ProcessEnvironment.home)
  }

  /// Two spellings of one folder must lead to one daemon.
  private static func realPath(_ folder: URL) throws(Refusal) -> String {
    let path = folder.path(percentEncoded: false)
    guard let real = realpath(path, nil) else {
      throw Refusal(.storage, "Background transfers can't use the folder \(path): \(String(cString: strerror(errno))).")
    }
    defer { free(real) }
    return String(cString: real)
  }

  /// nil where another user has taken the name in the folder that all users share.
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
