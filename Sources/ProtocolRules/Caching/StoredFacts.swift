import Foundation
import LoadingModel

/// The facts about a stored response that the caching rules use.
package struct StoredFacts: Sendable {
  package let head: ResponseHead
  /// The fields of the response's request that its `Vary` names, as sent.
  package let requestFields: HeaderFields
  /// When the response's request was sent; `responseTime` is when its head was received.
  package let requestTime: Date
  package let responseTime: Date
  /// The length of the stored body in bytes.
  package let bodyLength: Int64
  let slot: StoredReading.Slot

  /// - Parameter slot: The slot of an earlier value with the same `head` and `responseTime`, whose reading is shared.
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

  /// When the origin generated the response: `Date`, or the time of receipt where that is missing or unreadable (RFC 9110, 6.6.1).
  ///
  /// Parses the field at each call; `reading.date` keeps the result.
  var date: Date {
    head.headers.first("Date").flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
  }
}
