import Foundation

/// Programs of PyPI that `scripts/tools/setup test` puts into a virtual environment, `.build/peers`.
enum PythonPeers {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
  private static let folder = package.appending(path: ".build/peers")

  /// The path of a program; nil if it isn't installed.
  static func find(_ name: String) -> String? {
    let path = folder.appending(path: "bin/\(name)").path(percentEncoded: false)
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  /// A Python that has aioquic; nil if there is none.
  static let aioquic: String? = {
    guard let python = find("python3") else { return nil }
    let libraries = folder.appending(path: "lib")
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: libraries.path(percentEncoded: false))) ?? []
    let isThere = versions.contains { version in
      FileManager.default.fileExists(atPath: libraries.appending(path: "\(version)/site-packages/aioquic").path(percentEncoded: false))
    }
    return isThere ? python : nil
  }()

  /// The path of a server among the tests' own.
  static func script(_ name: String) -> String { package.appending(path: "Tests/Servers/\(name)").path(percentEncoded: false) }
}
