import Foundation
import LoadingModel

/// What the rules of caching look at of a stored response.
package struct StoredFacts: Sendable {
  package var head: ResponseHead
  /// The fields of its request that its `Vary` names, as sent.
  package var requestFields: HeaderFields
  /// When its request was sent and its head received.
  package var requestTime: Date
  package var responseTime: Date
  /// Bytes.
  package var bodyLength: Int64

  package init(head: ResponseHead, requestFields: HeaderFields, requestTime: Date, responseTime: Date, bodyLength: Int64) {
    self.head = head
    self.requestFields = requestFields
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.bodyLength = bodyLength
  }

  /// When the origin made it: `Date`, or the time of receipt where it is missing or unreadable (RFC 9110, 6.6.1).
  var date: Date {
    head.headers.first("Date").flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
  }
}
