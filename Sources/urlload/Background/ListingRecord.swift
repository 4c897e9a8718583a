import BackgroundTransfers
import Foundation

/// A transfer as `--json` writes it. The keys are documented: Documentation/urlload.md.
struct ListingRecord: Encodable, Equatable {
  var id: Int64
  var app: String
  var session: String
  var task: Int
  var kind: String
  var url: String
  /// As in `TransferListing.Phase`; "cancelled" and "ended" for what `watch` has seen and isn't listed any more.
  var phase: String
  var reason: String?
  var sent: Int64
  var received: Int64
  /// nil if unknown.
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

/// A line of the log as `--json` writes it.
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
