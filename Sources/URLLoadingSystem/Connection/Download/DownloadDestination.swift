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
  ///
  /// The former file is there until the new one is complete. A folder isn't replaced.
  fileprivate func replaceItem(at target: URL, withFile file: URL) throws {
    do {
      try moveItem(at: file, to: target)
    } catch CocoaError.fileWriteFileExists {
      // The temporary folder may be on another disk: the file is moved beside its target before it is renamed.
      let beside = target.deletingLastPathComponent().appending(path: ".\(UUID().uuidString)", directoryHint: .notDirectory)
      try moveItem(at: file, to: beside)
      guard rename(beside.path(percentEncoded: false), target.path(percentEncoded: false)) != 0 else { return }
      let cause = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      try? removeItem(at: beside)
      throw CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: target, NSUnderlyingErrorKey: cause])
    }
  }
}
