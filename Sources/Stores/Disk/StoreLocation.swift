import Foundation

/// Where an app's persistent stores live: the folders of the XDG base directory specification, one subfolder per app.
///
///     data    $URL_LOADING_SYSTEM_HOME/data   or $XDG_DATA_HOME/<app>    or ~/.local/share/<app>   cookies, credentials, HSTS, Alt-Svc
///     settings $URL_LOADING_SYSTEM_HOME/settings or $XDG_CONFIG_HOME/<app> or ~/.config/<app>       the key of the credentials
///     caches  $URL_LOADING_SYSTEM_HOME/caches or $XDG_CACHE_HOME/<app>   or ~/.cache/<app>         the URL cache
///
/// `<app>` is the main bundle's identifier or else the process's name. `URL_LOADING_SYSTEM_HOME` keeps tests and tools apart.
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

  /// - Parameter home: Where `HOME` isn't set to an absolute path.
  package init(environment: [String: String], home: URL, app: String) {
    self.app = app
    // The specification's folders lie in $HOME, which isn't always the home folder that the list of users has.
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0, directoryHint: .isDirectory) : nil } ?? home
    func folder(_ variable: String, _ standard: String) -> URL {
      // "All paths set in these environment variables must be absolute" (XDG base directory specification).
      if let path = environment[variable], path.hasPrefix("/") {
        return URL(filePath: path, directoryHint: .isDirectory).appending(path: app, directoryHint: .isDirectory)
      }
      return home.appending(path: standard, directoryHint: .isDirectory).appending(path: app, directoryHint: .isDirectory)
    }
    if let path = environment["URL_LOADING_SYSTEM_HOME"], path.hasPrefix("/") {
      let own = URL(filePath: path, directoryHint: .isDirectory)
      data = own.appending(path: "data", directoryHint: .isDirectory)
      caches = own.appending(path: "caches", directoryHint: .isDirectory)
      settings = own.appending(path: "settings", directoryHint: .isDirectory)
    } else {
      data = folder("XDG_DATA_HOME", ".local/share")
      caches = folder("XDG_CACHE_HOME", ".cache")
      settings = folder("XDG_CONFIG_HOME", ".config")
    }
  }

  /// The app's cookies.
  package var cookieFile: URL { data.appending(path: "cookies.sqlite", directoryHint: .notDirectory) }

  /// The hosts that asked the app for TLS.
  package var hstsFile: URL { data.appending(path: "hsts.sqlite", directoryHint: .notDirectory) }

  /// Where else origins are served, as they have told the app.
  package var alternativesFile: URL { data.appending(path: "alternatives.sqlite", directoryHint: .notDirectory) }

  /// This process's; read once.
  package static let standard: StoreLocation = {
    let process = ProcessInfo.processInfo
    let app = (Bundle.main.bundleIdentifier ?? process.processName).replacing("/", with: "-")
    return StoreLocation(
      environment: process.environment, home: URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory), app: app.isEmpty ? "app" : app)
  }()
}
