import LoadingModel

/// Where a desktop environment keeps its user's proxy settings. The engine reads them from there.
package struct DesktopProxies: Sendable, Hashable {
  package enum Keeper: Sendable, Hashable {
    /// The GSettings schema `org.gnome.system.proxy`, whose values the tool `gsettings` prints.
    case gsettings
    /// KDE's file `kioslaverc` in this folder.
    case kioslaverc(folder: String)
  }

  package let keeper: Keeper
  /// Environment variables besides this process's own: they are passed to `gsettings`, and looked up where `kioslaverc` names a variable.
  package let variables: [String: String]

  package init(_ keeper: Keeper, variables: [String: String] = [:]) {
    self.keeper = keeper
    self.variables = variables
  }

  /// Finds the desktop that this program runs on by the environment. nil on servers, terminals, and desktops without such settings.
  ///
  /// - Parameter value: The value of an environment variable; nil if it isn't set.
  package init?(environment value: (String) -> String?, variables: [String: String] = [:]) {
    let names = (value("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":").map { $0.lowercased() }
    if names.contains("kde") {
      let own = value("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
      guard let folder = own ?? value("HOME").map({ $0 + "/.config" }) else { return nil }
      self.init(.kioslaverc(folder: folder), variables: variables)
    } else if names.contains(where: DesktopProxies.gsettingsDesktops.contains) {
      self.init(.gsettings, variables: variables)
    } else {
      return nil
    }
  }

  /// The values of XDG_CURRENT_DESKTOP, in lower case, of desktops that keep proxies in GNOME's schema.
  private static let gsettingsDesktops: Set = [
    "gnome", "gnome-classic", "gnome-flashback", "unity", "x-cinnamon", "cinnamon", "mate", "budgie", "pantheon", "deepin", "ukui",
  ]
}
