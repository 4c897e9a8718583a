/// The variables that a daemon gets from the app that starts it.
///
/// The daemon serves all apps of the user: what one app's environment says about proxies, trusted authorities, logs or secrets must not reach the
/// transfers of another, nor the programs that the daemon starts. Each session has the environment of its app in its terms.
enum DaemonEnvironment {
  /// Variables about the user, folders, and where programs, libraries and the user's D-Bus are.
  private static let names: Set<String> = [
    "HOME", "USER", "LOGNAME", "PATH", "LD_LIBRARY_PATH", "TMPDIR", "TZ", "TZDIR", "LANG", "LANGUAGE", "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "STATE_DIRECTORY", "CACHE_DIRECTORY",
    "URL_LOADING_SYSTEM_HOME",
  ]

  /// Also passed are the daemon's own variables, the locale's categories, and options of sanitizers in test builds.
  private static func isPassed(_ name: String) -> Bool {
    names.contains(name) || name.hasPrefix("URLSESSIOND_") || name.hasPrefix("LC_") || name.hasSuffix("SAN_OPTIONS")
  }

  /// - Parameter environment: The environment of the app.
  static func variables(of environment: [String: String]) -> [String: String] { environment.filter { isPassed($0.key) } }
}
