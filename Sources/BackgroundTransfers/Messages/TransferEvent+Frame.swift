import Foundation

extension TransferEvent {
  /// Steps that make an event that is larger than a message smaller, applied in this order until it fits: what the app needs least goes first.
  private static let omissions: [@Sendable (inout TransferEvent) -> Void] = [
    { $0.outcome.metrics = nil }, { $0.outcome.currentRequest = nil },
    // An app that knows the task doesn't need the order; any other app makes a task from its number and URL.
    { $0.omitOrder() },
    { $0.outcome.response = nil }, { $0.outcome.error?.resumeData = nil },
  ]

  /// The event as an encoded message, reduced until it fits; nil if it can't be encoded.
  package var frame: Data? { frame { MessageCoding.frame($0) } }

  /// - Parameter encode: Encodes a message; nil if it is larger than a message may be.
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
