import Foundation

/// A task as the app has made it.
package struct TransferOrder: Codable, Sendable {
  package enum Kind: String, Codable, Sendable {
    case download
    case upload
  }

  /// Bytes of a `description` that messages have room for.
  package static let descriptionLimit = 512 << 10

  /// The identifier of the task in its session.
  package var task: Int
  package var kind: Kind
  /// The request, archived, with the session's additional headers.
  package var request: Data
  /// The request's URL for lists and logs: without user, password, query and fragment.
  package var shownURL: String
  /// What is uploaded; nil for downloads.
  package var source: SourceFile?
  /// What an earlier task left, if this one resumes it.
  package var resumeData: Data?
  /// At most `descriptionLimit` bytes.
  package var description: String?
  package var priority: Float
  package var earliestBegin: Date?
  package var expectsToSend: Int64
  package var expectsToReceive: Int64
  /// Where the daemon itself puts what was downloaded: for the tool, which doesn't wait.
  package var destination: String?

  package init(task: Int, kind: Kind, request: Data, shownURL: String) {
    self.task = task
    self.kind = kind
    self.request = request
    self.shownURL = shownURL
    priority = 0.5
    expectsToSend = -1
    expectsToReceive = -1
  }
}

/// A file to upload, and what tells whether it is still the one that the app named.
package struct SourceFile: Codable, Sendable, Equatable {
  /// Absolute.
  package var path: String
  package var device: UInt64
  package var inode: UInt64
  package var size: Int64
  /// Nanoseconds since 1970.
  package var modified: Int64

  package init(path: String, device: UInt64, inode: UInt64, size: Int64, modified: Int64) {
    self.path = path
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
  }
}

/// A task that hasn't ended, as an app that attaches is shown it.
package struct TransferState: Codable, Sendable {
  package var order: TransferOrder
  package var isSuspended: Bool
  package var progress: TransferProgress
  /// The response, archived, if one is there.
  package var response: Data?

  package init(order: TransferOrder, isSuspended: Bool, progress: TransferProgress, response: Data? = nil) {
    self.order = order
    self.isSuspended = isSuspended
    self.progress = progress
    self.response = response
  }
}
