import Foundation

/// A request of `urlload background`, about the transfers of all apps of the user. The numbers are the transfers' identifiers in the database.
package enum ToolRequest: Codable, Sendable {
  case list
  /// A list now and after each change, until the connection is closed: of one transfer, or of all if nil.
  case watch(Int64?)
  case pause(Int64)
  case resume(Int64)
  case cancel(Int64)
  /// The latest lines of the log, oldest first: of one transfer, or all if nil.
  case log(Int64?, limit: Int)
  case status
}

package enum ToolReply: Codable, Sendable {
  case transfers([TransferListing])
  case log([LogLine])
  case status(DaemonStatus)
  case done
  /// For people: what went wrong, and what to do.
  case failed(String)
}

/// One transfer in a list.
package struct TransferListing: Codable, Sendable, Equatable {
  package enum Phase: String, Codable, Sendable {
    case running
    case waiting
    case suspended
    /// The transfer has succeeded, and its app hasn't taken the event yet.
    case finished
    case failed
  }

  package var identifier: Int64
  package var app: String
  package var session: String
  package var task: Int
  package var kind: TransferOrder.Kind
  package var url: String
  package var phase: Phase
  /// Why the transfer waits, or has failed; nil while it runs.
  package var reason: String?
  package var sent: Int64
  package var received: Int64
  package var expectedToSend: Int64
  package var expectedToReceive: Int64
  package var attempts: Int
  package var created: Date
  /// When the next attempt is; nil if none is planned for a moment.
  package var next: Date?
  package var destination: String?
  package var description: String?

  package init(identifier: Int64, app: String, session: String, task: Int, kind: TransferOrder.Kind, url: String, phase: Phase) {
    self.identifier = identifier
    self.app = app
    self.session = session
    self.task = task
    self.kind = kind
    self.url = url
    self.phase = phase
    sent = 0
    received = 0
    expectedToSend = 0
    expectedToReceive = -1
    attempts = 0
    created = Date()
  }
}

/// A line of the daemon's log.
package struct LogLine: Codable, Sendable, Equatable {
  package var time: Date
  /// The transfer's identifier; nil for a line about the daemon as a whole.
  package var transfer: Int64?
  package var text: String

  package init(time: Date, transfer: Int64?, text: String) {
    self.time = time
    self.transfer = transfer
    self.text = text
  }
}

/// The daemon's state, as `urlload background status` shows it.
package struct DaemonStatus: Codable, Sendable {
  package var version: Int
  package var process: Int32
  package var started: Date
  package var dataFolder: String
  package var running: Int
  package var waiting: Int
  package var suspended: Int
  /// Transfers that have ended, and whose events their apps haven't taken.
  package var finished: Int
  /// Number of attached apps.
  package var apps: Int
  /// Reasons why transfers in general wait, such as “no network”; empty if there is none.
  package var obstacles: [String]

  package init(process: Int32, started: Date, dataFolder: String) {
    version = WireVersion.current
    self.process = process
    self.started = started
    self.dataFolder = dataFolder
    running = 0
    waiting = 0
    suspended = 0
    finished = 0
    apps = 0
    obstacles = []
  }
}
