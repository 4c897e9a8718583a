import Foundation
import LoadingModel

/// A response that is about to be stored, as the app is shown it for review, and with the app's changes.
package struct CacheProposal: Sendable {
  package var response: LoadResponse
  /// The decoded body, as the app received it.
  package var body: Data
  /// The raw value of `URLCache.StoragePolicy`.
  package var storagePolicy = 0
  /// `CachedURLResponse.userInfo`, archived; nil if there is none.
  package var userInfo: Data?
  /// The public object that the app returned, for stores that hand out objects; nil if there is none.
  package var object: (any AnyObject & Sendable)?

  package init(response: LoadResponse, body: Data) {
    self.response = response
    self.body = body
  }
}
