import Foundation

/// An empty folder, removed with its last reference. Its path is short and has no links: sockets lie in it.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    let name = "bt-\(UUID().uuidString.prefix(8))"
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.path(percentEncoded: false) + name }

  /// A folder in it.
  func folder(_ name: String) throws -> URL {
    let folder = url.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
