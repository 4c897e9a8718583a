import Foundation

/// The path to which a finished download is moved, and whether an existing file is replaced.
struct DownloadDestination: Sendable {
  /// How many names are tried ("file", "file-1", …) if existing files mustn't be replaced.
  private static let limit = 1000

  let path: String
  let allowsOverwriting: Bool

  /// Moves `file` to the path, or to a numbered name; returns the path that it has then.
  /// - Throws: `CocoaError`.
  func take(_ file: URL) throws -> String {
    let target = URL(filePath: path, directoryHint: .notDirectory)
    if allowsOverwriting {
      try FileManager.default.replaceItem(at: target, withFile: file)
      return path
    }
    for number in 0..<DownloadDestination.limit {
      let candidate = number == 0 ? target : DownloadDestination.numbered(target, number)
      do {
        try FileManager.default.moveItem(at: file, to: candidate)
        return candidate.path(percentEncoded: false)
      } catch CocoaError.fileWriteFileExists {
        continue
      }
    }
    throw CocoaError(.fileWriteFileExists, userInfo: [NSFilePathErrorKey: path])
  }

  /// The URL with a number added to the file's name: "file-1.txt" for "file.txt".
  private static func numbered(_ url: URL, _ number: Int) -> URL {
    let (folder, type) = (url.deletingLastPathComponent(), url.pathExtension)
    let name = url.deletingPathExtension().lastPathComponent + "-\(number)"
    return folder.appending(path: type.isEmpty ? name : name + "." + type, directoryHint: .notDirectory)
  }
}

extension FileManager {
  /// Moves `file` to `target`, replacing a file that exists there.
  fileprivate func replaceItem(at target: URL, withFile file: URL) throws {
    do {
      try moveItem(at: file, to: target)
    } catch CocoaError.fileWriteFileExists {
      try removeItem(at: target)
      try moveItem(at: file, to: target)
    }
  }
}
