import Foundation

extension TransferEvent {
  /// What is left out of an event that is too large for a message: first what is missed least.
  private static let omissions: [@Sendable (inout TransferEvent) -> Void] = [
    { $0.outcome.metrics = nil }, { $0.outcome.currentRequest = nil },
    // An app that has the task needs no order; any other one gets a task with its number and URL.
    { $0.omitOrder() },
    { $0.outcome.response = nil }, { $0.outcome.error?.resumeData = nil },
  ]

  /// The event as a message, reduced until it fits into one; nil if it can't be encoded.
  package var frame: Data? { frame { MessageCoding.frame($0) } }

  /// - Parameter encode: nil for a message that is too large.
  func frame(_ encode: (DaemonMessage) -> Data?) -> Data? {
    var event = self
    if let frame = encode(.event(event)) { return frame }
    for omit in TransferEvent.omissions {
      omit(&event)
      if let frame = encode(.event(event)) { return frame }
    }
    return nil
  }

  private mutating func omitOrder() {
    if let order, outcome.error?.failingURL == nil { outcome.error?.failingURL = order.shownURL }
    kind = kind ?? order?.kind
    order = nil
  }
}
