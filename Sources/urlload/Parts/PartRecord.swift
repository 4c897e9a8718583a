/// The record of an incomplete file, kept in a sidecar file beside it.
struct PartRecord: Codable, Sendable, Equatable {
  /// One of several ranges of the file that are loaded at the same time.
  struct Segment: Codable, Sendable, Equatable {
    var begin: Int64
    var end: Int64
    /// Number of bytes from `begin` on that are in the file.
    var done: Int64 = 0
    var isComplete: Bool { done >= end - begin }
  }

  /// The URL without password, or without user if there is no password.
  var url: String
  /// The key of the `URLIdentity`; nil in records of older versions.
  var key: String?
  var validator: String?
  var total: Int64?
  /// Set if the file is loaded in several ranges; it has its full size from the beginning then.
  var segments: [Segment]?

  /// Reads a record; nil if there is none that can be read.
  static func load(_ path: String) -> PartRecord? { Sidecar.load(PartRecord.self, path) }

  func save(_ path: String) throws(ToolFailure) { try Sidecar.save(self, path) }
}
