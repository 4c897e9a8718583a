import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// Lets the app review a response before it is stored (`willCacheResponse`).
struct CacheReview {
  /// The response to store after the review.
  struct Answer {
    var response: StoredResponse
    /// The body from the app, which takes the place of the received bytes; nil keeps those.
    var body: Data?
  }

  let client: any CachingReviewing
  let url: URL
  /// The most bytes of a decoded body; a response with a longer one isn't shown to the app, and so not stored.
  let decodedLimit: Int

  /// Asks the app; nil if the response isn't to be stored.
  func answer(_ stored: StoredResponse, _ received: Data) async -> Answer? {
    guard let decoded = DecodedContent.data(received, head: stored.head, limit: decodedLimit) else { return nil }
    let isEncoded = stored.head.headers.contains("Content-Encoding")
    let length = isEncoded ? -1 : Int64(received.count)
    var response = LoadResponse(url: url, kind: .http(stored.head), expectedLength: length)
    response.sniff(decoded)
    let proposal = CacheProposal(response: response, body: decoded)
    guard let answer = await client.review(proposal) else { return nil }
    var result = Answer(response: stored)
    result.response.storagePolicy = answer.storagePolicy
    result.response.userInfo = answer.userInfo
    result.response.object = answer.object
    if let head = answer.response.httpHead { result.response.head = head }
    let keepsCoding = result.response.head.headers.joined("Content-Encoding") == stored.head.headers.joined("Content-Encoding")
    if answer.body != decoded || !keepsCoding {
      // The body from the app has no content coding.
      result.body = answer.body
      result.response.head.headers.remove("Content-Encoding")
      result.response.head.headers.set("Content-Length", String(answer.body.count))
    }
    return result
  }
}
