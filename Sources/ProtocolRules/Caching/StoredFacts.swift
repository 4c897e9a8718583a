import Foundation
import LoadingModel

/// What the rules of caching look at of a stored response.
package struct StoredFacts: Sendable {
  package let head: ResponseHead
  /// The fields of its request that its `Vary` names, as sent.
  package let requestFields: HeaderFields
  /// When its request was sent and its head received.
  package let requestTime: Date
  package let responseTime: Date
  /// Bytes.
  package let bodyLength: Int64
  let slot: StoredReading.Slot

  /// - Parameter slot: That of the same `head` and `responseTime`.
  package init(
    head: ResponseHead, requestFields: HeaderFields, requestTime: Date, responseTime: Date, bodyLength: Int64,
    slot: StoredReading.Slot = StoredReading.Slot()
  ) {
    self.head = head
    self.requestFields = requestFields
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.bodyLength = bodyLength
    self.slot = slot
  }

  /// When the origin made it: `Date`, or the time of receipt where it is missing or unreadable (RFC 9110, 6.6.1).
  ///
  /// Read anew each time; `reading` has it at hand.
  var date: Date {
    head.headers.first("Date").flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
  }
}
