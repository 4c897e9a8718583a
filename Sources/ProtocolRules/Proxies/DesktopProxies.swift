import LoadingModel

/// A desktop whose user has settings for proxies: where they are kept. The engine reads them.
package struct DesktopProxies: Sendable, Hashable {
  package enum Keeper: Sendable, Hashable {
    /// The schema `org.gnome.system.proxy`, which the tool `gsettings` prints.
    case gsettings
    /// The file `kioslaverc` in this folder.
    case kioslaverc(folder: String)
  }

  package let keeper: Keeper
  /// Variables besides this process's own: for `gsettings`, and what names in `kioslaverc` stand for.
  package let variables: [String: String]

  package init(_ keeper: Keeper, variables: [String: String] = [:]) {
    self.keeper = keeper
    self.variables = variables
  }

  /// The desktop that this program runs on, if it is one with such settings. Servers and terminals without a desktop have none.
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

  /// Those that ask for proxies in GNOME's schema, in lower case.
  private static let gsettingsDesktops: Set = [
    "gnome", "gnome-classic", "gnome-flashback", "unity", "x-cinnamon", "cinnamon", "mate", "budgie", "pantheon", "deepin", "ukui",
  ]
}
