import Foundation

/// Second names of downloaded files, which apps are given to move away. The first name is the daemon's until the event is taken: an app
/// that is killed in between is told again, and finds the file.
///
///     <data>/handed/<process>-<event>
enum HandedFiles {
  /// nil if the file system has no second names: the file itself is handed over then.
  static func link(_ file: URL, event: Int64) -> URL? {
    let folder = file.deletingLastPathComponent().deletingLastPathComponent().appending(path: "handed", directoryHint: .isDirectory)
    mkdir(folder.path(percentEncoded: false), 0o700)
    let name = folder.appending(path: "\(getpid())-\(event)", directoryHint: .notDirectory)
    let path = name.path(percentEncoded: false)
    // Of an earlier process with the same number.
    unlink(path)
    return Foundation.link(file.path(percentEncoded: false), path) == 0 ? name : nil
  }

  /// Removes what processes that have ended left there.
  ///
  /// - Parameter journals: The folder that lies beside.
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
