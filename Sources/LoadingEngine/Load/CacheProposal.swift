import Foundation
import LoadingModel

/// What is about to be stored, as the app gets to see it, and as it may have changed it.
package struct CacheProposal: Sendable {
  package var response: LoadResponse
  /// Decoded, as the app received it.
  package var body: Data
  /// Raw value of `URLCache.StoragePolicy`.
  package var storagePolicy = 0
  /// Archived `CachedURLResponse.userInfo`.
  package var userInfo: Data?
  /// The public object that the app answered with, for stores that hand on objects.
  package var object: (any AnyObject & Sendable)?

  package init(response: LoadResponse, body: Data) {
    self.response = response
    self.body = body
  }
}
