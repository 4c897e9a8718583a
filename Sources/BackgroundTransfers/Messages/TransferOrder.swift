import Foundation

/// A task as the app has made it, which the daemon carries out as a transfer.
package struct TransferOrder: Codable, Sendable {
  package enum Kind: String, Codable, Sendable {
    case download
    case upload
  }

  /// Longest `description` in bytes that fits a message.
  package static let descriptionLimit = 512 << 10

  /// `taskIdentifier` of the task in its session.
  package var task: Int
  package var kind: Kind
  /// The request with the session's additional headers, archived.
  package var request: Data
  /// The request's URL without user, password, query and fragment, for lists and logs.
  package var shownURL: String
  /// The file to upload; nil for downloads.
  package var source: SourceFile?
  /// The resume data of an earlier task that this one continues; nil if there is none.
  package var resumeData: Data?
  /// At most `descriptionLimit` bytes.
  package var description: String?
  package var priority: Float
  package var earliestBegin: Date?
  package var expectsToSend: Int64
  package var expectsToReceive: Int64
  /// Absolute path of the file into which the daemon puts the content: set by `urlload`, whose process doesn't wait for the end; nil for apps.
  package var destination: String?
  /// Permissions of the file at `destination`: those that the umask of `urlload` allows. nil for apps, and from a tool of an earlier version: the file
  /// is its owner's alone then.
  package var permissions: UInt16?

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

/// A file to upload, with the facts by which the daemon notices that the file has changed or was replaced.
package struct SourceFile: Codable, Sendable, Equatable {
  /// Absolute path.
  package var path: String
  package var device: UInt64
  package var inode: UInt64
  package var size: Int64
  /// Time of modification, in nanoseconds since 1970.
  package var modified: Int64

  package init(path: String, device: UInt64, inode: UInt64, size: Int64, modified: Int64) {
    self.path = path
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
  }
}

/// A task that hasn't ended, as the daemon tells it to an app that attaches.
package struct TransferState: Codable, Sendable {
  package var order: TransferOrder
  package var isSuspended: Bool
  package var progress: TransferProgress
  /// The response, archived; nil if none has come yet.
  package var response: Data?

  package init(order: TransferOrder, isSuspended: Bool, progress: TransferProgress, response: Data? = nil) {
    self.order = order
    self.isSuspended = isSuspended
    self.progress = progress
    self.response = response
  }
}
