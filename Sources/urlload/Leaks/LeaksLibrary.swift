import Foundation

/// Where the preloaded library is.
enum LeaksLibrary {
  static let variable = "URLLOAD_LEAKS_LIBRARY"
  static let name = "liburlload-leaks.so"

  /// The variable's value, or else the library beside the tool or in the folder lib next to the tool's.
  static func path(_ environment: [String: String]) throws(LeaksFailure) -> String {
    if let named = environment[variable], !named.isEmpty {
      // The command may change its folder.
      let path = URL(filePath: named).path(percentEncoded: false)
      guard isLoadable(path) else { throw .libraryMissing(path) }
      return path
    }
    let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let places = [folder.appending(path: name), folder.deletingLastPathComponent().appending(path: "lib/\(name)")]
    let paths = places.map { $0.path(percentEncoded: false) }
    guard let found = paths.first(where: isLoadable) else { throw .libraryMissing(paths[0]) }
    return found
  }

  /// The dynamic linker takes spaces and colons for the ends of names.
  private static func isLoadable(_ path: String) -> Bool {
    access(path, R_OK) == 0 && !path.contains { $0 == " " || $0 == ":" }
  }
}
