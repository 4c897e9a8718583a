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

  /// Without a password, or without the user where there is no password.
  var url: String
  /// Of the `URLIdentity`; nil in records of older versions.
  var key: String?
  var validator: String?
  var total: Int64?
  /// Set where the file is loaded in several ranges: then it has its full size from the beginning.
  var segments: [Segment]?

  /// The record beside a file; nil if there is none that can be read.
  static func load(_ path: String) -> PartRecord? { Sidecar.load(PartRecord.self, path) }

  func save(_ path: String) throws(ToolFailure) { try Sidecar.save(self, path) }
}
