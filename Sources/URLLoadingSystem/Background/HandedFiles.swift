import Foundation

/// Hard links to downloaded files, which apps are given to move away. The daemon keeps the original name until the event is acknowledged: if the app
/// is killed before that, its next process is sent the event again and finds the file.
///
///     <data>/handed/<process>-<event>
enum HandedFiles {
  /// Makes the link; nil if the file system has no hard links, in which case the app is given the file itself.
  static func link(_ file: URL, event: Int64) -> URL? {
    let folder = file.deletingLastPathComponent().deletingLastPathComponent().appending(path: "handed", directoryHint: .isDirectory)
    mkdir(folder.path(percentEncoded: false), 0o700)
    let name = folder.appending(path: "\(getpid())-\(event)", directoryHint: .notDirectory)
    let path = name.path(percentEncoded: false)
    // Removes a link that an earlier process with the same process number has left.
    unlink(path)
    return Foundation.link(file.path(percentEncoded: false), path) == 0 ? name : nil
  }

  /// Removes the links that processes which have ended have left.
  ///
  /// - Parameter journals: The path of the journals' folder, beside which the links' folder is.
  static func removeOrphans(beside journals: String) {
    let folder = URL(filePath: journals, directoryHint: .isDirectory).deletingLastPathComponent().appending(
      path: "handed", directoryHint: .isDirectory)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
    for name in names {
      guard let process = pid_t(name.prefix { $0 != "-" }), process > 0, kill(process, 0) != 0, errno == ESRCH else { continue }
      unlink(folder.appending(path: name, directoryHint: .notDirectory).path(percentEncoded: false))
    }
  }
}
