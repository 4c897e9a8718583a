import Foundation
import LoadingModel

extension DaemonStarter {
  package static let variable = "URLSESSIOND_PATH"
  private static let name = "urlsessiond"
  /// Where the executable is searched for if `PATH` isn't set.
  private static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// The daemon's executable: the file that `URLSESSIOND_PATH` names, if that is set; otherwise the first one beside the program or the test bundle,
  /// or in a folder of `PATH`. nil if there is none.
  package static func executable(environment: [String: String]) -> URL? {
    if let path = environment[variable] { return executable(URL(filePath: path, directoryHint: .notDirectory)) }
    let folders = besides(arguments: CommandLine.arguments) + pathFolders(environment["PATH"] ?? standardPath)
    return folders.lazy.compactMap { executable($0.appending(path: name, directoryHint: .notDirectory)) }.first
  }

  /// The folder of this program, and those of the test bundles on its command line if it runs tests. A privileged program accepts only folders that
  /// the administrator alone can write to.
  static func besides(arguments: [String]) -> [URL] {
    // If the program's file was replaced, "/proc/self/exe" has " (deleted)" after the name; the folder is still right.
    guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return [] }
    let runner = arguments.first.map { URL(filePath: $0).lastPathComponent } ?? ""
    let bundles = runsTests(runner) ? arguments.dropFirst().filter { $0.hasSuffix(".xctest") } : []
    let folders = ([program] + bundles).map { URL(filePath: $0, directoryHint: .notDirectory).deletingLastPathComponent() }
    return ProcessEnvironment.isPrivileged ? folders.filter { isInstalled($0) } : folders
  }

  /// Whether the program runs tests: only then are arguments that end in ".xctest" test bundles.
  private static func runsTests(_ program: String) -> Bool {
    program == "xctest" || program == "swiftpm-testing-helper" || program.hasSuffix(".xctest")
  }

  /// Whether only the system's administrator can put a program into the folder. A caller may start a privileged program by a link in a folder of the
  /// caller's own.
  private static func isInstalled(_ folder: URL) -> Bool {
    var status = stat()
    guard stat(folder.path(percentEncoded: false), &status) == 0 else { return false }
    return status.st_uid == 0 && status.st_mode & (S_IWGRP | S_IWOTH) == 0
  }

  /// The absolute folders of `PATH`: relative ones would depend on the current folder.
  private static func pathFolders(_ path: String) -> [URL] {
    path.split(separator: ":").filter { $0.hasPrefix("/") }.map { URL(filePath: String($0), directoryHint: .isDirectory) }
  }

  /// The file's absolute URL, if it is a regular file that this user may execute.
  private static func executable(_ file: URL) -> URL? {
    let path = file.absoluteURL.path(percentEncoded: false)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else { return nil }
    return URL(filePath: path, directoryHint: .notDirectory)
  }
}
