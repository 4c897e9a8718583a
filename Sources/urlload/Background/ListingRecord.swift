import BackgroundTransfers
import Foundation

/// A transfer in the form of `--json`. The keys are documented in Documentation/urlload.md.
struct ListingRecord: Encodable, Equatable {
  var id: Int64
  var app: String
  var session: String
  var task: Int
  var kind: String
  var url: String
  /// The raw value of `TransferListing.Phase`; with `watch` also "cancelled", or "ended", for a transfer that has vanished from the list.
  var phase: String
  var reason: String?
  var sent: Int64
  var received: Int64
  /// The number of bytes to send; nil if it is unknown.
  var expectedToSend: Int64?
  var expectedToReceive: Int64?
  var attempts: Int
  var created: Date
  var next: Date?
  var destination: String?
  var description: String?

  init(_ listing: TransferListing) {
    id = listing.identifier
    app = listing.app
    session = listing.session
    task = listing.task
    kind = listing.kind.rawValue
    url = listing.url
    phase = listing.phase.rawValue
    reason = listing.reason
    sent = listing.sent
    received = listing.received
    expectedToSend = listing.expectedToSend > 0 ? listing.expectedToSend : nil
    expectedToReceive = listing.expectedToReceive >= 0 ? listing.expectedToReceive : nil
    attempts = listing.attempts
    created = listing.created
    next = listing.next
    destination = listing.destination
    description = listing.description
  }

  var line: String { JSONLine.text(self) }
}

/// A line of the daemon's log, in the form of `--json`.
struct LogRecord: Encodable {
  let time: Date
  let transfer: Int64?
  let text: String

  init(_ line: LogLine) {
    time = line.time
    transfer = line.transfer
    text = line.text
  }
}
