import ChildProcesses
import Foundation
import URLLoadingSystem

/// Where processes that move one file meet: a folder with the resume data, the reports and the result.
struct TransferGround: Sendable {
  let folder: URL

  init(folder: URL) { self.folder = folder }

  /// A new folder.
  static func make() throws -> TransferGround {
    let folder = FileManager.default.temporaryDirectory.appending(path: "transfer-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder.appending(path: "downloads"), withIntermediateDirectories: true)
    return TransferGround(folder: folder)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  private func file(_ name: String) -> URL { folder.appending(path: name, directoryHint: .notDirectory) }

  var resumeData: URL { file("resume") }
  var source: URL { file("source") }
  var result: URL { file("result") }

  /// Sessions of all processes write into the same folder, as those of one app do.
  var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.downloadFolder = downloads
    return configuration
  }

  var downloads: URL { folder.appending(path: "downloads", directoryHint: .isDirectory) }
  var unfinished: [String] { (try? FileManager.default.contentsOfDirectory(atPath: downloads.path(percentEncoded: false))) ?? [] }
}
