/// The variables that the daemon gets from the app that happens to start it.
///
/// It serves all of the user's apps: what one app's environment says about proxies, trusted authorities, logs or secrets must not reach the
/// transfers of another, nor the programs that the daemon starts. Each session brings its own with its terms.
enum DaemonEnvironment {
  /// Who the user is, where files lie, and how programs, libraries and the user's message bus are found.
  private static let names: Set<String> = [
    "HOME", "USER", "LOGNAME", "PATH", "LD_LIBRARY_PATH", "TMPDIR", "TZ", "TZDIR", "LANG", "LANGUAGE", "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "STATE_DIRECTORY", "CACHE_DIRECTORY",
    "URL_LOADING_SYSTEM_HOME",
  ]

  /// The daemon's own, the categories of the locale, and the sanitizers' of a build for tests.
  private static func isPassed(_ name: String) -> Bool {
    names.contains(name) || name.hasPrefix("URLSESSIOND_") || name.hasPrefix("LC_") || name.hasSuffix("SAN_OPTIONS")
  }

  /// - Parameter environment: The app's.
  static func variables(of environment: [String: String]) -> [String: String] { environment.filter { isPassed($0.key) } }
}
