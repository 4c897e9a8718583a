import Foundation
import LoadingModel

extension DaemonStarter {
  package static let variable = "URLSESSIOND_PATH"
  private static let name = "urlsessiond"
  /// Where programs are looked for where `PATH` doesn't say.
  private static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// The daemon's executable: what `URLSESSIOND_PATH` names, and nothing else where it is set; beside the program or the test bundle; in a
  /// folder of `PATH`.
  package static func executable(environment: [String: String]) -> URL? {
    if let path = environment[variable] { return executable(URL(filePath: path, directoryHint: .notDirectory)) }
    let folders = besides(arguments: CommandLine.arguments) + pathFolders(environment["PATH"] ?? standardPath)
    return folders.lazy.compactMap { executable($0.appending(path: name, directoryHint: .notDirectory)) }.first
  }

  /// The folders of the program, and of the test bundles that it has loaded if it is one that runs tests.
  static func besides(arguments: [String]) -> [URL] {
    // Where the program's file was replaced, " (deleted)" follows its name; its folder is right.
    guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return [] }
    let runner = arguments.first.map { URL(filePath: $0).lastPathComponent } ?? ""
    let bundles = runsTests(runner) ? arguments.dropFirst().filter { $0.hasSuffix(".xctest") } : []
    let folders = ([program] + bundles).map { URL(filePath: $0, directoryHint: .notDirectory).deletingLastPathComponent() }
    return ProcessEnvironment.isPrivileged ? folders.filter { isInstalled($0) } : folders
  }

  /// To other programs a name that ends in ".xctest" is a file like any other.
  private static func runsTests(_ program: String) -> Bool {
    program == "xctest" || program == "swiftpm-testing-helper" || program.hasSuffix(".xctest")
  }

  /// Whether the system's administrator alone can put a program there. A privileged program may have another name, by a link of its
  /// caller's in a folder of its caller's.
  private static func isInstalled(_ folder: URL) -> Bool {
    var status = stat()
    guard stat(folder.path(percentEncoded: false), &status) == 0 else { return false }
    return status.st_uid == 0 && status.st_mode & (S_IWGRP | S_IWOTH) == 0
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
