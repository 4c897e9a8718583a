import Foundation

/// What is known of an unfinished file, kept beside it: the sidecar.
struct PartRecord: Codable, Sendable, Equatable {
  /// One of the ranges that are loaded at once.
  struct Segment: Codable, Sendable, Equatable {
    var begin: Int64
    var end: Int64
    /// Bytes from `begin` that are in the file.
    var done: Int64 = 0
    var isComplete: Bool { done >= end - begin }
  }

  /// Without a password.
  var url: String
  var validator: String?
  var total: Int64?
  /// Set where the file is loaded in several ranges: then it has its full size from the beginning.
  var segments: [Segment]?

  /// The record beside a file; nil if there is none that can be read.
  static func load(_ path: String) -> PartRecord? {
    guard let data = try? Data(contentsOf: URL(filePath: path)), data.count < 1_000_000,
      let record = try? JSONDecoder().decode(PartRecord.self, from: data)
    else { return nil }
    return record
  }

  /// Writes the record so that at any moment there is either the old or the new one.
  func save(_ path: String) throws(ToolFailure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = (try? encoder.encode(self)) ?? Data()
    let draft = path + "~"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw WriteFailure.failure(path, errno) }
    let code = Descriptor.writeAll(data, to: descriptor)
    close(descriptor)
    if let code { throw WriteFailure.failure(path, code) }
    guard rename(draft, path) == 0 else { throw WriteFailure.failure(path, errno) }
  }
}
