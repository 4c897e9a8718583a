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
      for name in entry.names where NSKeyedUnarchiver.class(forClassName: name) == nil && NSClassFromString(name) == nil {
        NSKeyedUnarchiver.setClass(entry.class, forClassName: name)
      }
    }
  }()
}
