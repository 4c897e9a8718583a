import Foundation

/// Finds the library that is preloaded into an examined command.
enum LeaksLibrary {
  static let variable = "URLLOAD_LEAKS_LIBRARY"
  static let name = "liburlload-leaks.so"

  /// The path of the library: the environment variable's value; else beside the tool, or in the folder `lib` next to the tool's folder.
  static func path(_ environment: [String: String]) throws(LeaksFailure) -> String {
    if let named = environment[variable], !named.isEmpty {
      // Made absolute, because the command may run in another folder.
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

  /// Whether the dynamic linker can load the library: spaces and colons separate names in LD_PRELOAD.
  private static func isLoadable(_ path: String) -> Bool {
    access(path, R_OK) == 0 && !path.contains { $0 == " " || $0 == ":" }
  }
}
