import Foundation
import LoadingModel

/// Where an app's persistent stores are: the folders of the XDG base directory specification, one subfolder per app.
///
///     data     $XDG_DATA_HOME/<app>   or ~/.local/share/<app>   cookies, credentials, HSTS, Alt-Svc
///     settings $XDG_CONFIG_HOME/<app> or ~/.config/<app>        the key of the credentials
///     caches   $XDG_CACHE_HOME/<app>  or ~/.cache/<app>         the URL cache
///
/// systemd's folders take precedence: `$STATE_DIRECTORY/<app>` has the data and, in `settings`, the settings; `$CACHE_DIRECTORY/<app>` has the
/// caches; of several folders, separated by colons, the first counts. `URL_LOADING_SYSTEM_HOME` takes precedence over both, with the folders `data`,
/// `settings` and `caches`, and without `<app>`: it keeps tests and tools apart.
///
/// `<app>` is the name that the app has given (`chosenName`), else the main bundle's identifier, else the process's name.
package struct StoreLocation: Sendable, Hashable {
  package var data: URL
  package var caches: URL
  package var settings: URL
  package var app: String

  package init(data: URL, caches: URL, settings: URL? = nil, app: String = "app") {
    self.data = data
    self.caches = caches
    self.settings = settings ?? data.deletingLastPathComponent().appending(path: "settings", directoryHint: .isDirectory)
    self.app = app
  }

  /// - Parameter home: The user's home folder, used if `HOME` isn't an absolute path.
  package init(environment: [String: String], home: URL, app: String) {
    self.app = app
    // The specification's folders are in $HOME, which may differ from the home folder in the user database.
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0, directoryHint: .isDirectory) : nil } ?? home
    func folder(_ variable: String, _ standard: String) -> URL {
      // "All paths set in these environment variables must be absolute" (XDG base directory specification).
      if let path = environment[variable], path.hasPrefix("/") {
        return URL(filePath: path, directoryHint: .isDirectory).appending(path: app, directoryHint: .isDirectory)
      }
      return home.appending(path: standard, directoryHint: .isDirectory).appending(path: app, directoryHint: .isDirectory)
    }
    /// A folder that systemd has made for the service (systemd.exec(5), StateDirectory=, CacheDirectory=).
    func serviceFolder(_ variable: String) -> URL? {
      guard let path = environment[variable]?.split(separator: ":").first, path.hasPrefix("/") else { return nil }
      return URL(filePath: String(path), directoryHint: .isDirectory).appending(path: app, directoryHint: .isDirectory)
    }
    if let path = environment["URL_LOADING_SYSTEM_HOME"], path.hasPrefix("/") {
      let own = URL(filePath: path, directoryHint: .isDirectory)
      data = own.appending(path: "data", directoryHint: .isDirectory)
      caches = own.appending(path: "caches", directoryHint: .isDirectory)
      settings = own.appending(path: "settings", directoryHint: .isDirectory)
    } else {
      let state = serviceFolder("STATE_DIRECTORY")
      data = state ?? folder("XDG_DATA_HOME", ".local/share")
      caches = serviceFolder("CACHE_DIRECTORY") ?? folder("XDG_CACHE_HOME", ".cache")
      settings = state?.appending(path: "settings", directoryHint: .isDirectory) ?? folder("XDG_CONFIG_HOME", ".config")
    }
  }

  /// The database of the app's cookies.
  package var cookieFile: URL { data.appending(path: "cookies.sqlite", directoryHint: .notDirectory) }

  /// The database of hosts that require TLS (HSTS, RFC 6797).
  package var hstsFile: URL { data.appending(path: "hsts.sqlite", directoryHint: .notDirectory) }

  /// The database of alternative services (Alt-Svc, RFC 7838).
  package var alternativesFile: URL { data.appending(path: "alternatives.sqlite", directoryHint: .notDirectory) }

  /// The locations of this process, fixed at first use.
  package static var standard: StoreLocation {
    process.withLock { process in
      if let settled = process.settled { return settled }
      let made = StoreLocation(
        environment: ProcessEnvironment.variables, home: ProcessEnvironment.home,
        app: process.name)
      process.settled = made
      return made
    }
  }

  /// The name that stands for `<app>` in this process. Setting it has no effect once `standard` was used.
  package static var chosenName: String {
    get { process.withLock { $0.settled?.app ?? $0.name } }
    set { process.withLock { if $0.settled == nil { $0.chosen = newValue } } }
  }

  /// The name that this process has chosen, and its locations once they are fixed.
  private struct Process {
    var chosen: String?
    var settled: StoreLocation?

    var name: String { StoreLocation.folderName(chosen ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName) }
  }

  private static let process = Mutex(Process())

  /// `name` as a valid name of one folder: without "/" and zero bytes.
  static func folderName(_ name: String) -> String {
    let single = name.replacing("/", with: "-").replacing("\0", with: "")
    return single.isEmpty || single == "." || single == ".." ? "app" : single
  }
}
