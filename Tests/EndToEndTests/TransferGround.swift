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

/// The letters a to z over and over, as `Reply.Body.pattern` sends them: any part can be told from any other but for a multiple of 26.
enum Letters {
  private static let piece = 1 << 20
  /// A piece, whichever letter it begins with.
  private static let block: Data = {
    var block = Data("abcdefghijklmnopqrstuvwxyz".utf8)
    while block.count < piece + 26 { block += block }
    return block
  }()

  /// Whether `bytes` are those that belong at `offset`.
  static func match(_ bytes: Data, at offset: Int) -> Bool {
    var (rest, offset) = (bytes, offset)
    while !rest.isEmpty {
      let part = rest.prefix(piece)
      guard part == block.dropFirst(offset % 26).prefix(part.count) else { return false }
      offset += part.count
      rest = rest.dropFirst(part.count)
    }
    return true
  }

  static func write(_ count: Int, to file: URL) throws {
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    for offset in stride(from: 0, to: count, by: piece) {
      try handle.write(contentsOf: block.dropFirst(offset % 26).prefix(min(piece, count - offset)))
    }
  }

  /// Whether `file` is `count` letters.
  static func fill(_ file: URL, count: Int) throws -> Bool {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    var offset = 0
    while let part = try handle.read(upToCount: piece), !part.isEmpty {
      guard match(part, at: offset) else { return false }
      offset += part.count
    }
    return offset == count
  }
}
