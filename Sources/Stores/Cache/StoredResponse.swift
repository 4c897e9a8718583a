import Foundation
import LoadingModel
import ProtocolRules

/// One stored response without its body.
package struct StoredResponse: Sendable {
  /// What stored it, and so what the bytes of the body are.
  package enum Source: Int, Sendable {
    /// A load: the body is as received, encoded.
    case load = 0
    /// The app, an `HTTPURLResponse` with decoded data. `head` is made to agree with it: no `Content-Encoding`.
    case app = 1
    /// The app, a plain `URLResponse`; `head` is a 200 with what it says of the type.
    case appPlain = 2
  }

  /// Names this entry among all processes; another one after it was replaced. Chosen by the initialiser.
  package var id: Int64
  /// `CacheKey.url` of the request.
  package var url: String
  /// "GET": a HEAD is answered from the entry of a GET.
  package var method: String
  package var head: ResponseHead { didSet { reading = StoredReading.Slot() } }
  /// The request's fields that the response's `Vary` names, as sent. A field the request didn't have is absent.
  package var requestFields: HeaderFields
  package var requestTime: Date
  package var responseTime: Date { didSet { reading = StoredReading.Slot() } }
  package var bodyLength: Int64
  /// The fields behind the body.
  package var trailers: HeaderFields?
  /// Raw value of `URLCache.StoragePolicy`: 0 memory and disk, 1 memory alone, 2 not at all.
  package var storagePolicy: Int
  /// Archived `CachedURLResponse.userInfo`.
  package var userInfo: Data?
  package var source = Source.load
  /// The head as the app gave it, where `head` had to differ.
  package var appHead: ResponseHead?
  /// The URL that the response names, if it isn't `url`.
  package var responseURL: String?
  /// When it was last used, as far as has been written down.
  package var lastUse: Date
  /// What its head says, once that has been asked for.
  package private(set) var reading = StoredReading.Slot()
  /// The public layer's object for this response, if it has one at hand. Never leaves memory.
  package var object: (any AnyObject & Sendable)?
  /// A small body that was read together with the response.
  var body: Data?

  package init(
    url: String, method: String = "GET", head: ResponseHead, requestFields: HeaderFields = HeaderFields(), requestTime: Date,
    responseTime: Date, bodyLength: Int64 = 0, storagePolicy: Int = 0, userInfo: Data? = nil
  ) {
    id = Int64.random(in: 1...Int64.max)
    self.url = url
    self.method = method
    self.head = head
    self.requestFields = requestFields
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.bodyLength = bodyLength
    self.storagePolicy = storagePolicy
    self.userInfo = userInfo
    lastUse = responseTime
  }

  /// With the head that a 304 has brought.
  ///
  /// A body that the app gave has no content coding, whatever the server says of its own (RFC 9111, 3.2 lets a cache leave such fields
  /// out).
  func updated(head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredResponse {
    var updated = self
    updated.head = head
    updated.requestTime = requestTime
    updated.responseTime = responseTime
    updated.appHead = nil
    updated.object = nil
    if source != .load { updated.head.headers.remove("Content-Encoding") }
    return updated
  }
}
