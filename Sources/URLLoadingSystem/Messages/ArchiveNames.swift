import Foundation

/// Names under which keyed archives may know the message classes: Apple's, and those of the toolchain's networking module.
///
/// Only reading is helped. The toolchain's archiver ignores class-name mappings, so archives written here carry the
/// module-qualified Swift names, which every process that links the module resolves without registration.
package enum ArchiveNames {
  /// Makes the unarchiver find the classes under their other names. Runs once; cheap to call again, from any thread.
  ///
  /// The unarchiver looks a class up before any code of the class runs: the set-up of the public layer calls this.
  package static func register() { _ = registration }

  private static let registration: Void = {
    let classes: [(class: AnyClass, names: [String])] = [
      (NSURLRequest.self, ["NSURLRequest", "FoundationNetworking.NSURLRequest"]),
      (NSMutableURLRequest.self, ["NSMutableURLRequest", "FoundationNetworking.NSMutableURLRequest"]),
      (URLResponse.self, ["NSURLResponse", "FoundationNetworking.URLResponse"]),
      (HTTPURLResponse.self, ["NSHTTPURLResponse", "FoundationNetworking.HTTPURLResponse"]),
    ]
    for entry in classes {
      // A name that already means a class belongs to other code in this process and stays with it.
      for name in entry.names where NSKeyedUnarchiver.class(forClassName: name) == nil && !isClass(name) {
        NSKeyedUnarchiver.setClass(entry.class, forClassName: name)
      }
    }
  }()

  /// Whether the toolchain's networking module is in the process and has this class. The linker knows it by the symbol of its descriptor, which
  /// is found a hundred times faster than the class by `NSClassFromString`; names without a module mean no class off Apple's platforms.
  private static func isClass(_ name: String) -> Bool {
    let parts = name.split(separator: ".")
    guard parts.count == 2 else { return false }
    return dlsym(nil, "$s\(parts[0].utf8.count)\(parts[0])\(parts[1].utf8.count)\(parts[1])CMn") != nil
  }
}
