import Foundation

extension DaemonStarter {
  package static let variable = "URLSESSIOND_PATH"
  private static let name = "urlsessiond"

  /// The daemon's executable: what `URLSESSIOND_PATH` names, and nothing else where it is set; beside the program or the test bundle; in a
  /// folder of `PATH`.
  package static func executable(environment: [String: String]) -> URL? {
    if let path = environment[variable] { return executable(URL(filePath: path, directoryHint: .notDirectory)) }
    let folders = besides + pathFolders(environment["PATH"] ?? "")
    return folders.lazy.compactMap { executable($0.appending(path: name, directoryHint: .notDirectory)) }.first
  }

  /// The folders of the program and of test bundles, which another program may have loaded.
  private static var besides: [URL] {
    // Where the program's file was replaced, " (deleted)" follows its name; its folder is right.
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let bundles = CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
    return ([program].compactMap { $0 } + bundles).map { URL(filePath: $0, directoryHint: .notDirectory).deletingLastPathComponent() }
  }

  /// Relative ones would find another program in each folder.
  private static func pathFolders(_ path: String) -> [URL] {
    path.split(separator: ":").filter { $0.hasPrefix("/") }.map { URL(filePath: String($0), directoryHint: .isDirectory) }
  }

  /// The file's absolute URL, if it is a file that this user may run.
  private static func executable(_ file: URL) -> URL? {
    let path = file.absoluteURL.path(percentEncoded: false)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else { return nil }
    return URL(filePath: path, directoryHint: .notDirectory)
  }
}
