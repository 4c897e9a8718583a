import Foundation
import LoadingModel
import ProtocolRules

/// One stored response without its body.
package struct StoredResponse: Sendable {
  /// Where the response came from, which determines the form of its head and body.
  package enum Source: Int, Sendable {
    /// A load: the body is as received, with its content coding.
    case load = 0
    /// The app, as an `HTTPURLResponse` with decoded data: `head` has no `Content-Encoding`, so that it agrees with the data.
    case app = 1
    /// The app, as a plain `URLResponse`: `head` is made up, a 200 with its MIME type and text encoding.
    case appPlain = 2
  }

  /// Identifies this stored response in all processes; random, so that one that replaces it has another id.
  package var id: Int64
  /// `CacheKey.url` of the request.
  package var url: String
  /// The request's method, "GET": HEAD requests are answered from the responses of GET.
  package var method: String
  package var head: ResponseHead { didSet { reading = StoredReading.Slot() } }
  /// The request's fields that the response's `Vary` names, as sent. A field the request didn't have is absent.
  package var requestFields: HeaderFields
  package var requestTime: Date
  package var responseTime: Date { didSet { reading = StoredReading.Slot() } }
  package var bodyLength: Int64
  /// The trailer fields; nil if there were none.
  package var trailers: HeaderFields?
  /// Raw value of `URLCache.StoragePolicy`: 0 memory and disk, 1 memory alone, 2 not at all.
  package var storagePolicy: Int
  /// Archived `CachedURLResponse.userInfo`.
  package var userInfo: Data?
  package var source = Source.load
  /// The head as the app gave it, if `head` differs from it.
  package var appHead: ResponseHead?
  /// The URL of the app's response object, if it isn't `url`.
  package var responseURL: String?
  /// When the response was last used, as stored on disk.
  package var lastUse: Date
  /// The caching rules' reading of `head`, made at its first use.
  package private(set) var reading = StoredReading.Slot()
  /// The public layer's object for this response, if it has made one. Only in memory.
  package var object: (any AnyObject & Sendable)? {
    get { keptObject?.object }
    set { keptObject = newValue.map { KeptObject($0) } }
  }
  private var keptObject: KeptObject?
  /// The body, if it is small and was read together with the response.
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

  /// The response with the head that a 304 response has brought.
  ///
  /// If the app gave the body, `Content-Encoding` is dropped, because the body has no content coding whatever the server says (RFC 9111, 3.2 lets a
  /// cache leave out such fields).
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
