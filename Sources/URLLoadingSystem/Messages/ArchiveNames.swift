import Foundation

/// Registers the class names that keyed archives of other libraries use for the message classes: Apple's, and swift-corelibs-foundation's.
///
/// This helps reading only. The toolchain's archiver ignores class-name mappings, so archives written here contain the module-qualified Swift names,
/// which every process that links the module resolves without registration.
package enum ArchiveNames {
  /// Registers the other names with `NSKeyedUnarchiver`. Done once; cheap to call again, from any thread.
  ///
  /// Called when a session is made, and by the classes' `supportsSecureCoding`: the unarchiver looks a class up by name before it runs any code of
  /// the class.
  package static func register() { _ = registration }

  private static let registration: Void = {
    let classes: [(class: AnyClass, names: [String])] = [
      (NSURLRequest.self, ["NSURLRequest", "FoundationNetworking.NSURLRequest"]),
      (NSMutableURLRequest.self, ["NSMutableURLRequest", "FoundationNetworking.NSMutableURLRequest"]),
      (URLResponse.self, ["NSURLResponse", "FoundationNetworking.URLResponse"]),
      (HTTPURLResponse.self, ["NSHTTPURLResponse", "FoundationNetworking.HTTPURLResponse"]),
    ]
    for entry in classes {
      // A name that already means another class is left to that class.
      for name in entry.names where NSKeyedUnarchiver.class(forClassName: name) == nil && !isClass(name) {
        NSKeyedUnarchiver.setClass(entry.class, forClassName: name)
      }
    }
  }()

  /// Whether swift-corelibs-foundation's FoundationNetworking is in the process and has this class. The symbol of the class's descriptor is found a
  /// hundred times faster by `dlsym` than the class by `NSClassFromString`; names without a module mean no class off Apple's platforms.
  private static func isClass(_ name: String) -> Bool {
    let parts = name.split(separator: ".")
    guard parts.count == 2 else { return false }
    return dlsym(nil, "$s\(parts[0].utf8.count)\(parts[0])\(parts[1].utf8.count)\(parts[1])CMn") != nil
  }
}
